import { BlockList, isIPv6 } from "node:net";
import { checksumAddress, hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { describeDatabaseUrlProblem } from "@hardhat-identity/store/database/databaseUrl";
import { logLevels } from "@hardhat-identity/store/logger";
import { z } from "zod";
import { isPrivateKey } from "../keys/keyLocation.ts";
import { httpUrl, integer, isHttpUrl, oneOf, optionalKey, secret } from "./schemas.ts";

const host = z
  .string()
  .refine((text) => isIPv6(text) || /^[^\s/:]+$/.test(text), "a host name or an IP address");
const port = integer(0, 65_535);
const optionalSecret = z.string().refine(isPrivateKey, "0x and 64 hex digits (32 bytes)").optional();

/**
 * The settings of the service, by purpose and in the order in which they are documented: environment variables, each
 * with the schema of its values. Messages complete "<name> must be …". Descriptions are for people, and so is a `default`
 * where the schema's own does not tell enough.
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
    IDENTITY_VERIFY_URL: httpUrl("the http(s) URL of the page where a user proves an account")
      // Our own page has no slash at its end.
      .transform((text) => text.replace(/\/verify\/*\??$/, "/verify"))
      .optional()
      .meta({
        description: "URL of the page where a user verifies an account",
        default: "/verify at the public URL",
      }),
  },
  Verifications: {
    IDENTITY_VERIFICATION_LIFETIME: integer(60, 3600)
      .default(300)
      .describe("Seconds for which a verification is valid, from 60 to 3600"),
    IDENTITY_CREDENTIAL_MAX_AGE: integer(0, 36_500)
      .default(0)
      .describe("Days after which an account must be verified again; 0 for never"),
  },
  Limits: {
    IDENTITY_RATE_LIMIT: integer(0, 1_000_000)
      .default(600)
      .describe(
        "Verification requests a minute from one address (IPv6: /56), as many other requests, and a thirtieth as many sign-ins (at least 20); 0 for no limit, also of connections",
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
  ...settingGroups.Limits,
  ...settingGroups.Monitoring,
};

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
    // Express takes no others.
    return rest.length === 0 && (prefix === undefined || /^[1-9]\d{0,2}$/.test(prefix));
  } catch {
    return false;
  }
}
