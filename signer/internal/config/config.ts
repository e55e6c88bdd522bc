import { BlockList } from "node:net";
import { z } from "zod";
import { checksumAddress, hasValidCasing, isAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { ProviderClients } from "../../providers/client.ts";
import { describeSameSecret, storeSecretVariables } from "../credentials/storeSecrets.ts";
import { type CurveName, curveNames } from "../curve/curve.ts";
import { describeDatabaseUrlProblem } from "../database/databaseUrl.ts";
import { fileVariable, readSecretFiles } from "../files/secretFiles.ts";
import {
  bytes32,
  describeKeySourceProblem,
  describeTwoPins,
  keyPrefixes,
  readSigningKey,
  type SigningKeyConfig,
  signingKeySecrets,
  signingKeyVariables,
} from "../keys/config.ts";
import { isLoopback } from "../network/loopback.ts";
import { providerSecretVariables, providerVariables, readProviderClients } from "../providers/config.ts";

/** How the service runs; made from environment variables by {@link loadConfig}. */
export interface SignerConfig {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 for any free one. */
  readonly port: number;
  /** Port for metrics alone; when missing, they are where everything is. */
  readonly metricsPort: number | undefined;
  /** Address that it is listened on. */
  readonly metricsHost: string;
  /** The node's JSON-RPC endpoint over http(s). May hold a secret. */
  readonly rpcUrl: string;
  readonly chainId: number;
  /** The deployed `SignerRegistry`, checksummed. */
  readonly registry: string;
  /** `file:<path>`, or a PostgreSQL URL, which may hold a password. */
  readonly databaseUrl: string;
  /** 32 bytes hex; when missing, the development secret, which only a local node is served with. */
  readonly masterSecret: string | undefined;
  /** What the store's rows are encrypted with, 32 bytes hex; when missing, a key of the master secret. */
  readonly encryptionSecret: string | undefined;
  /** Another secret, with which they may be encrypted as well; 32 bytes hex. */
  readonly otherEncryptionSecret: string | undefined;
  /** When missing, the development key, which only a local node is served with. */
  readonly signingKey: SigningKeyConfig | undefined;
  /** The one that signs as soon as the registry's allowlist has its signer; see the guide on rotating the signing key. */
  readonly nextSigningKey: SigningKeyConfig | undefined;
  /** What signatures are computed with; when missing, native code where there is some, else WebAssembly. */
  readonly curve: CurveName | undefined;
  /** Seconds from the chain's time to a verification's expiration. */
  readonly verificationLifetime: number;
  /** Seconds that a sign-in message may be old. */
  readonly messageMaxAge: number;
  /** Seconds that a sign-in message may be ahead. */
  readonly messageMaxClockSkew: number;
  /** Where clients reach the service, without a slash at the end; when missing, the address listened on. */
  readonly publicUrl: string | undefined;
  /** The page where a user proves an account; when missing, `/verify` under the public URL. */
  readonly verifyUrl: string | undefined;
  /** The operator's own privacy notice, to which the pages lead; none when missing. */
  readonly privacyUrl: string | undefined;
  /** Origins of apps that the verify page returns to at once. */
  readonly redirectOrigins: readonly string[];
  /** What the verify page does about any other https origin: asks the person, or refuses. */
  readonly otherRedirects: (typeof otherRedirects)[number];
  /** The providers at which an account can be proven. */
  readonly providers: ProviderClients;
  /** Where what is signed and changed is entered. */
  readonly audit: (typeof auditPlaces)[number];
  /** Days after which entries of the audit trail are removed; 0 for never. */
  readonly auditRetention: number;
  /** Whether an entry of the audit trail names the wallet beside its identity hash. */
  readonly auditWallets: boolean;
  readonly logLevel: (typeof logLevels)[number];
  /** Requests a minute from one client address; 0 for no limit. */
  readonly rateLimit: number;
  /** Verifications that one wallet may ask for in a minute; 0 for no limit. */
  readonly walletRateLimit: number;
  /** Express's `trust proxy`: how many proxies stand in front, or their addresses. */
  readonly trustProxy: number | readonly string[];
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const otherRedirects = ["ask", "refuse"] as const;

const auditPlaces = ["store", "off"] as const;

const onOrOff = ["on", "off"] as const;

/**
 * Their values are never shown; URLs may carry a key or a password. Each can be read from a file, whose variable has
 * `_FILE` at its end.
 */
export const secretVariables: readonly string[] = [
  "IDENTITY_RPC_URL",
  ...storeSecretVariables,
  ...signingKeySecrets,
];

const integer = (minimum: number, maximum: number) => {
  const wanted = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, wanted)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, wanted);
};

/** A path can be added to it, unless it has a query. */
const httpUrl = (wanted: string, fits: (text: string) => boolean = isHttpUrl) =>
  z
    .string()
    .refine((text) => fits(text), wanted)
    .transform((text) => {
      const { href, search } = new URL(text);
      return search === "" ? href.replace(/\/*\??$/, "") : href;
    });

const host = z.string().regex(/^[^\s/:]+$|^[0-9a-fA-F:]+$/, "a host name or an IP address");

const variables = z.object({
  IDENTITY_HOST: host.default("127.0.0.1"),
  IDENTITY_PORT: integer(0, 65_535).default(3000),
  IDENTITY_METRICS_PORT: integer(0, 65_535).optional(),
  IDENTITY_METRICS_HOST: host.default("127.0.0.1"),
  IDENTITY_RPC_URL: httpUrl("the http(s) URL of a node, without user name and password"),
  IDENTITY_CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER).default(84532),
  IDENTITY_REGISTRY: z
    .string()
    .refine(
      (text) => isAddress(text) && hasValidCasing(text),
      "the registry's address: 0x and 40 hex digits with a right checksum",
    )
    .transform(checksumAddress),
  IDENTITY_DATABASE_URL: z
    .string()
    .superRefine((text, context) => {
      const message = describeDatabaseUrlProblem(text);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .default("file:identity.sqlite"),
  IDENTITY_MASTER_SECRET: bytes32.optional(),
  IDENTITY_ENCRYPTION_SECRET: bytes32.optional(),
  IDENTITY_OTHER_ENCRYPTION_SECRET: bytes32.optional(),
  ...signingKeyVariables,
  IDENTITY_CURVE: z.enum(curveNames, `one of ${curveNames.join(", ")}`).optional(),
  IDENTITY_VERIFICATION_LIFETIME: integer(60, 3600).default(300),
  IDENTITY_MESSAGE_MAX_AGE: integer(1, 86_400).default(600),
  IDENTITY_MESSAGE_MAX_CLOCK_SKEW: integer(0, 3600).default(60),
  IDENTITY_PUBLIC_URL: httpUrl(
    "the http(s) URL where clients reach the service, without a query",
    (text) => isHttpUrl(text) && !text.includes("?"),
  ).optional(),
  IDENTITY_VERIFY_URL: httpUrl("the http(s) URL of the page where a user proves an account").optional(),
  IDENTITY_PRIVACY_URL: httpUrl("the http(s) URL of your privacy notice").optional(),
  IDENTITY_REDIRECT_ORIGINS: z
    .string()
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .refine(
      (origins) => origins.every(isAppOrigin),
      "origins such as https://app.example, separated by commas (http on loopback only)",
    )
    .default([]),
  IDENTITY_OTHER_REDIRECTS: z.enum(otherRedirects, `one of ${otherRedirects.join(", ")}`).default("ask"),
  IDENTITY_AUDIT: z.enum(auditPlaces, `one of ${auditPlaces.join(", ")}`).default("store"),
  IDENTITY_AUDIT_RETENTION: integer(0, 36_500).default(400),
  IDENTITY_AUDIT_WALLETS: z.enum(onOrOff, `one of ${onOrOff.join(", ")}`).default("off"),
  IDENTITY_LOG_LEVEL: z.enum(logLevels, `one of ${logLevels.join(", ")}`).default("info"),
  IDENTITY_RATE_LIMIT: integer(0, 1_000_000).default(600),
  IDENTITY_WALLET_RATE_LIMIT: integer(0, 1_000_000).default(30),
  IDENTITY_TRUST_PROXY: z
    .string()
    .refine(
      (text) => readTrustProxy(text) !== undefined,
      "the number of proxies in front (at most 16), or their addresses or subnets, separated by commas",
    )
    .transform((text) => readTrustProxy(text) ?? 0)
    .default(0),
});

/** Names of the environment variables, in the order in which they are documented; providers have more of their own. */
export const variableNames = Object.keys(variables.shape);

/**
 * Reads the configuration. A variable that is set to nothing counts as missing.
 *
 * @throws InvalidInputError that lists every bad variable, what it got (never of a secret) and what it wants.
 *
 * @example
 * ```ts
 * const config = loadConfig({ ...process.env, IDENTITY_PORT: "0" });
 * const { url, close } = await startSigner(config);
 * ```
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): SignerConfig {
  const { env: complete, problems } = readSecretFiles(env, [...secretVariables, ...providerSecretVariables]);
  const given = Object.fromEntries(variableNames.map((name) => [name, complete[name] || undefined]));
  const { data, error } = variables.safeParse(given);
  for (const issue of error?.issues ?? []) {
    const name = String(issue.path[0]);
    // What is wrong with its file was said.
    if (given[name] === undefined && env[fileVariable(name)]) continue;
    problems.push(describeProblem(name, given, issue));
  }
  for (const prefix of keyPrefixes) {
    const problem = describeKeySourceProblem(prefix, given, env);
    if (problem !== undefined) problems.push(problem);
  }
  const twoPins = describeTwoPins(given);
  if (twoPins !== undefined) problems.push(twoPins);
  const sameSecret = describeSameSecret(given);
  if (sameSecret !== undefined) problems.push(`- ${sameSecret}`);
  const port = data?.IDENTITY_METRICS_PORT;
  if (port && port === data?.IDENTITY_PORT) {
    problems.push(`- IDENTITY_METRICS_PORT must be another port than IDENTITY_PORT, not ${port} as well.`);
  }
  const providers = readProviderClients(complete);
  problems.push(...providers.problems);
  if (data === undefined || problems.length > 0) {
    throw new InvalidInputError(`The signer's configuration is not valid:\n${problems.join("\n")}`);
  }
  return {
    host: data.IDENTITY_HOST,
    port: data.IDENTITY_PORT,
    metricsPort: data.IDENTITY_METRICS_PORT,
    metricsHost: data.IDENTITY_METRICS_HOST,
    rpcUrl: data.IDENTITY_RPC_URL,
    chainId: data.IDENTITY_CHAIN_ID,
    registry: data.IDENTITY_REGISTRY,
    databaseUrl: data.IDENTITY_DATABASE_URL,
    masterSecret: data.IDENTITY_MASTER_SECRET,
    encryptionSecret: data.IDENTITY_ENCRYPTION_SECRET,
    otherEncryptionSecret: data.IDENTITY_OTHER_ENCRYPTION_SECRET,
    signingKey: readSigningKey("IDENTITY_", given),
    nextSigningKey: readSigningKey("IDENTITY_NEXT_", given),
    curve: data.IDENTITY_CURVE,
    verificationLifetime: data.IDENTITY_VERIFICATION_LIFETIME,
    messageMaxAge: data.IDENTITY_MESSAGE_MAX_AGE,
    messageMaxClockSkew: data.IDENTITY_MESSAGE_MAX_CLOCK_SKEW,
    publicUrl: data.IDENTITY_PUBLIC_URL,
    verifyUrl: data.IDENTITY_VERIFY_URL,
    privacyUrl: data.IDENTITY_PRIVACY_URL,
    redirectOrigins: data.IDENTITY_REDIRECT_ORIGINS,
    otherRedirects: data.IDENTITY_OTHER_REDIRECTS,
    providers: providers.clients,
    audit: data.IDENTITY_AUDIT,
    auditRetention: data.IDENTITY_AUDIT_RETENTION,
    auditWallets: data.IDENTITY_AUDIT_WALLETS === "on",
    logLevel: data.IDENTITY_LOG_LEVEL,
    rateLimit: data.IDENTITY_RATE_LIMIT,
    walletRateLimit: data.IDENTITY_WALLET_RATE_LIMIT,
    trustProxy: data.IDENTITY_TRUST_PROXY,
  };
}

/** Variables that look like the service's own and are not: most likely, they were misspelt. */
export function findUnknownVariables(env: Given): readonly string[] {
  const known = new Set([...variableNames, ...secretVariables.map(fileVariable), ...providerVariables]);
  const set = Object.keys(env).filter((name) => env[name]);
  // Kubernetes tells of each of its services by a family of variables.
  const families = set.flatMap((name) => /^(IDENTITY_\w*)SERVICE_HOST$/.exec(name)?.[1] ?? []);
  return set.filter(
    (name) =>
      name.startsWith("IDENTITY_") && !known.has(name) && !families.some((family) => name.startsWith(family)),
  );
}

type Given = Readonly<Record<string, string | undefined>>;

function describeProblem(name: string, given: Given, issue: { message: string }): string {
  const value = given[name];
  if (value === undefined) return `- ${name} is not set; it is required: ${requiredMeaning[name] ?? ""}`;
  const got = secretVariables.includes(name) ? "what it holds (not shown)" : JSON.stringify(value);
  return `- ${name} must be ${issue.message}, not ${got}.`;
}

const requiredMeaning: Record<string, string> = {
  IDENTITY_RPC_URL: "the http(s) URL of a node of the chain.",
  IDENTITY_REGISTRY: "the address of the deployed SignerRegistry.",
};

/** Whether a text is an http(s) URL, without user name, password and fragment. */
function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes("#")) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function isAppOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  // A star would be a host name like any other, and match nothing.
  if (origin !== text || hostname.includes("*")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** `undefined` when the text cannot be used. A count of "all" is left out on purpose: clients could forge addresses. */
function readTrustProxy(text: string): number | readonly string[] | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) <= 16 ? Number(text) : undefined;
  const addresses = text.split(",").map((address) => address.trim());
  return addresses.every(isSubnet) ? addresses : undefined;
}

function isSubnet(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", prefix, ...rest] = text.split("/");
  const family = address.includes(":") ? "ipv6" : "ipv4";
  try {
    new BlockList().addSubnet(address, prefix === undefined ? 32 : Number(prefix), family);
    return rest.length === 0 && prefix !== "";
  } catch {
    return false;
  }
}
