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
