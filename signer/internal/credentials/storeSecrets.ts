import { InvalidInputError } from "../../../protocol/errors.ts";
import { readSecretFiles } from "../files/secretFiles.ts";
import type { StoreSecrets } from "./credentialSeal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of what a store is opened with; none of their values is ever shown. */
export const storeSecretVariables = [
  "IDENTITY_DATABASE_URL",
  "IDENTITY_MASTER_SECRET",
  "IDENTITY_ENCRYPTION_SECRET",
  "IDENTITY_OTHER_ENCRYPTION_SECRET",
] as const;

/** What an environment says of its store; each where it is set. */
export interface StoreSettings extends Partial<StoreSecrets> {
  readonly databaseUrl: string | undefined;
}

/**
 * Reads what an environment says of its store.
 *
 * @throws InvalidInputError that names every variable that cannot be used, and shows no value.
 */
export function readStoreSettings(environment: Environment): StoreSettings {
  const { env, problems } = readSecretFiles(environment, storeSecretVariables);
  for (const name of storeSecretVariables.slice(1)) {
    if (env[name] && !/^0x[0-9a-fA-F]{64}$/.test(env[name])) {
      problems.push(`- ${name} must be 0x and 64 hex digits (32 bytes).`);
    }
  }
  const same = describeSameSecret(env);
  if (same !== undefined) problems.push(`- ${same}`);
  if (problems.length > 0) {
    throw new InvalidInputError(`The store's settings are not valid:\n${problems.join("\n")}`);
  }
  const [, masterSecret, encryptionSecret, otherEncryptionSecret] = storeSecretVariables.map(
    (name) => env[name] || undefined,
  );
  return {
    databaseUrl: env.IDENTITY_DATABASE_URL || undefined,
    ...(masterSecret !== undefined && { masterSecret }),
    encryptionSecret,
    otherEncryptionSecret,
  };
}

/** Says that what should be two secrets is one. */
export function describeSameSecret(env: Environment): string | undefined {
  const [, ...names] = storeSecretVariables;
  for (const [at, name] of names.entries()) {
    const same = names.slice(0, at).find((other) => env[other] && sameHex(env[other], env[name]));
    if (same !== undefined) return `${name} is the same secret as ${same}; it must be another one.`;
  }
  return undefined;
}

const sameHex = (left: string, right: string | undefined) => left.toLowerCase() === right?.toLowerCase();
