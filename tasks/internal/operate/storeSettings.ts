import { InvalidInputError } from "../../../protocol/errors.ts";
import { readDatabaseUrl, readSecretFiles } from "../../../signer/index.ts";

/**
 * The store that a service with this environment would use, and its master secret, where one is set.
 *
 * @throws InvalidInputError
 */
export function readStoreSettings(environment: NodeJS.ProcessEnv): {
  databaseUrl: string;
  masterSecret: string | undefined;
} {
  const { env, problems } = readSecretFiles(environment, ["IDENTITY_DATABASE_URL", "IDENTITY_MASTER_SECRET"]);
  if (problems.length > 0) {
    throw new InvalidInputError(`The store's settings are not valid:\n${problems.join("\n")}`);
  }
  const masterSecret = env.IDENTITY_MASTER_SECRET || undefined;
  if (masterSecret !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(masterSecret)) {
    throw new InvalidInputError("IDENTITY_MASTER_SECRET must be 0x and 64 hex digits (32 bytes).");
  }
  return { databaseUrl: readDatabaseUrl(env) ?? "file:identity.sqlite", masterSecret };
}

/**
 * The same, for what needs the master secret.
 *
 * @throws InvalidInputError
 */
export function readStoreSecrets(environment: NodeJS.ProcessEnv): {
  databaseUrl: string;
  masterSecret: string;
} {
  const { databaseUrl, masterSecret } = readStoreSettings(environment);
  if (masterSecret === undefined) {
    throw new InvalidInputError("IDENTITY_MASTER_SECRET is not set; the store needs it.");
  }
  return { databaseUrl, masterSecret };
}

/** Whether what a command changes is entered in the audit trail, as a service with this environment would. */
export const readAuditOption = ({ IDENTITY_AUDIT }: NodeJS.ProcessEnv): { audit?: "off" } =>
  IDENTITY_AUDIT === "off" ? { audit: "off" } : {};
