import { BlockList } from "node:net";
import { checksumAddress, hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { z } from "zod";
import { describeDatabaseUrlProblem } from "../database/databaseUrl.ts";
import { isPrivateKey, parseKeyLocation } from "../keys/keyLocation.ts";
import { isLoopbackOfBrowser } from "../network/loopback.ts";
import { readBrand } from "./brand.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `one of ${values.join(", ")}`);
const host = z.string().regex(/^[^\s/:]+$|^[0-9a-fA-F:]+$/, "a host name or an IP address");
const port = integer(0, 65_535);
const optionalSecret = z.string().refine(isPrivateKey, "0x and 64 hex digits (32 bytes)").optional();
/** Describes a setting whose value is never shown, and may come from a file that `<name>_FILE` names. */
const secret = (description: string) => ({ description, isSecret: true });

/**
 * All settings but those of the providers, by purpose and in the order in which they are documented: environment
 * variables, each with the schema of its values. Messages complete "<name> must be …". Descriptions are for people, and
 * so is a `default` where the schema's own does not tell enough.
 */
export const settingGroups = {
  Chain: {
    IDENTITY_RPC_URL: httpUrl("the http(s) URL of a node, without user name and password").meta(
      secret("http(s) URL of the chain's node, without user name and password"),
    ),
    IDENTITY_CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER).default(84532).describe("Id of the chain"),
    IDENTITY_REGISTRY: z
      .string()
      .refine(
        (text) => isAddress(text) && hasValidCasing(text),
        "the registry's address: 0x and 40 hex digits with a right checksum",
      )
      .transform(checksumAddress)
      .describe("Address of the deployed SignerRegistry"),
  },
  Database: {
    IDENTITY_DATABASE_URL: z
      .string()
      .superRefine((text, context) => {
        const message = describeDatabaseUrlProblem(text);
        if (message !== undefined) context.addIssue(message);
      })
      .default("file:identity.sqlite")
      .meta(secret("Database: file:<path> for SQLite, or the URL of a PostgreSQL database")),
    IDENTITY_AUDIT_RETENTION: integer(0, 36_500)
      .default(400)
      .describe("Days after which entries of the audit trail are removed; 0 for never"),
  },
  "Keys and secrets": {
    IDENTITY_MASTER_SECRET: optionalSecret.meta(
      secret(
        "Secret that turns accounts into identity hashes, never to be changed: 0x and 64 hex digits. Optional on a local node",
      ),
    ),
    IDENTITY_ENCRYPTION_SECRET: optionalSecret.meta(
      secret("Secret that encrypts credentials instead of the master secret: 0x and 64 hex digits"),
    ),
    IDENTITY_SIGNING_KEY: optionalKey().meta(
      secret(
        "Key that signs: 0x and 64 hex digits, keystore:<file>?password-file=<file>, module:<file>, or a PKCS#11 URI. Optional only on a local node",
      ),
    ),
    IDENTITY_NEXT_SIGNING_KEY: optionalKey().meta(
      secret("Next signing key, which takes over once its signer is on the registry's allowlist"),
    ),
    IDENTITY_GUARDIAN_KEY: optionalKey().meta(secret("Key of a guardian, for identity-signer watch --brake")),
  },
  Addresses: {
    IDENTITY_HOST: host.default("127.0.0.1").describe("Address to listen on"),
    IDENTITY_PORT: port.default(3000).describe("Port to listen on; 0 for any free one"),
    IDENTITY_PUBLIC_URL: httpUrl(
      "the http(s) URL where clients reach the service, without a query",
      (text) => isHttpUrl(text) && !text.includes("?"),
    )
      // So that paths can be appended.
      .transform((text) => text.replace(/\/*$/, ""))
      .optional()
      .meta({
        description: "URL where clients reach the service, without a query",
        default: "the address that it listens on",
      }),
    IDENTITY_TRUST_PROXY: z
      .string()
      .refine(
        (text) => readTrustProxy(text) !== undefined,
        "the number of proxies in front (at most 16), or their addresses or subnets, separated by commas",
      )
      .transform((text) => readTrustProxy(text) ?? 0)
      .default(0)
      .describe("Proxies whose X-Forwarded-For to trust: their number, or their addresses and subnets"),
  },
  Verifications: {
    IDENTITY_VERIFICATION_LIFETIME: integer(60, 3600)
      .default(300)
      .describe("Seconds for which a verification is valid, from 60 to 3600"),
    IDENTITY_CREDENTIAL_MAX_AGE: integer(0, 36_500)
      .default(0)
      .describe("Days after which an account must be proven again; 0 for never"),
  },
  "Verify page": {
    IDENTITY_VERIFY_URL: httpUrl("the http(s) URL of the page where a user proves an account")
      // Our own page has no slash at its end.
      .transform((text) => text.replace(/\/verify\/*\??$/, "/verify"))
      .optional()
      .meta({
        description: "URL of the page where a user proves that an account is theirs",
        default: "/verify at the public URL",
      }),
    IDENTITY_BRAND: readBy(readBrand)
      .optional()
      .describe("JSON file with the name, logo, accent color and privacy notice that the pages show"),
    IDENTITY_REDIRECT_ORIGINS: z
      .string()
      .transform((text) => text.split(",").map(readApp))
      .refine(
        (apps) =>
          apps.every(({ origin, name }) => isAppOrigin(origin) && (name === undefined || isAppName(name))),
        "origins such as https://app.example, separated by commas (http on loopback only), each with up to 40 characters of a name: https://app.example=Name",
      )
      .default([])
      .meta({
        description:
          "Origins of apps to which the verify page returns at once, separated by commas; `=Name` after one names the app",
        default: "none",
      }),
    IDENTITY_OTHER_REDIRECTS: oneOf(["ask", "refuse"])
      .default("ask")
      .describe("Other https origins: the verify page asks the person, or refuses"),
    IDENTITY_CONNECTORS: z
      .string()
      .optional()
      .describe("JavaScript module whose default export corrects the built-in providers"),
  },
  Limits: {
    IDENTITY_RATE_LIMIT: integer(0, 1_000_000)
      .default(600)
      .describe(
        "Verification requests a minute from one address (IPv6: /56), and as many other requests; 0 for no limit, also of connections",
      ),
    IDENTITY_WALLET_RATE_LIMIT: integer(0, 1_000_000)
      .default(30)
      .describe(
        "Verifications a minute for one wallet at one contract, five times as many at all contracts; 0 for no limit",
      ),
  },
  Monitoring: {
    IDENTITY_METRICS_PORT: port
      .optional()
      .describe("Separate port for metrics, health and readiness; if set, the public port has no metrics"),
    IDENTITY_METRICS_HOST: host.default("127.0.0.1").describe("Address that the metrics port listens on"),
    IDENTITY_WATCH_WEBHOOK: httpUrl("an http(s) URL, without user name and password")
      .optional()
      .meta(secret("http(s) URL to which identity-signer watch posts its events as JSON")),
    IDENTITY_LOG_LEVEL: oneOf(logLevels)
      .default("info")
      .describe(`Level of the log: ${logLevels.join(", ")}`),
  },
};

export const settings = {
  ...settingGroups.Chain,
  ...settingGroups.Database,
  ...settingGroups["Keys and secrets"],
  ...settingGroups.Addresses,
  ...settingGroups.Verifications,
  ...settingGroups["Verify page"],
  ...settingGroups.Limits,
  ...settingGroups.Monitoring,
};

type Settings = typeof settings;
export type SettingName = keyof Settings;

/** `IDENTITY_CHAIN_ID` → `chainId` */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>;
export type FieldName<Name extends string> = Name extends `IDENTITY_${infer Rest}` ? Camel<Rest> : never;

/** The values of the settings by field name: `chainId` is the value of `IDENTITY_CHAIN_ID`. */
export type SettingValues = {
  readonly [Name in SettingName as FieldName<Name>]: z.output<Settings[Name]>;
};

/** Returns the field name of a setting. */
export const fieldName = (name: string): string =>
  name
    .replace("IDENTITY_", "")
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Settings whose values are never shown: URLs may carry a key or a password. */
export const secretSettings: readonly string[] = Object.entries(settings)
  .filter(([, schema]) => describeSetting(schema).isSecret)
  .map(([name]) => name);

/** A setting's description and default; "" if it is required. */
export function describeSetting(schema: z.ZodType) {
  const { description: what, default: described, isSecret = false } = schema.meta() ?? {};
  const { data = "none", success } = schema.safeParse(undefined);
  return { what, byDefault: String(described ?? (success ? data : "")), isSecret };
}

function integer(minimum: number, maximum: number) {
  const wanted = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, wanted)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, wanted);
}

/** A URL as it was set, with a slash at its end or without: at another address may be nothing, or a redirect. */
function httpUrl(wanted: string, fits: (text: string) => boolean = isHttpUrl) {
  return z
    .string()
    .refine((text) => fits(text), wanted)
    .transform((text) => (text.endsWith("/") ? new URL(text).href : new URL(text).href.replace(/\/$/, "")));
}

/** Whether a text is an http(s) URL, without user name, password and fragment. */
function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes("#")) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function optionalKey() {
  return readBy(parseKeyLocation).optional();
}

/** A text that a function reads. The function's `InvalidInputError` describes what is expected. */
function readBy<T>(read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}

/** An app to which the verify page returns at once. */
export interface TrustedApp {
  readonly origin: string;
  /** The app's name on the page; by default its host. */
  readonly name?: string;
}

function readApp(text: string): TrustedApp {
  const [origin = "", ...name] = text.trim().split("=");
  return { origin, ...(name.length > 0 && { name: name.join("=").trim() }) };
}

const isAppName = (text: string): boolean => /^\P{C}{1,40}$/u.test(text);

function isAppOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  // A star is not a wildcard here. As a host name, it would match nothing.
  if (origin !== text || hostname.includes("*")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackOfBrowser(hostname));
}

/** `undefined` if the text is not valid. "All proxies" is no choice on purpose: clients could forge addresses. */
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
