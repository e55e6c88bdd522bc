import { createRequire } from "node:module";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

const require = createRequire(import.meta.url);

/**
 * Loads a package that not every service needs, so that `@hardhat-identity/signer` does not bring it.
 *
 * @returns `undefined` if it is not installed.
 */
export function findPackage<Module>(name: string): Module | undefined {
  try {
    require.resolve(name);
  } catch {
    return undefined;
  }
  return require(name);
}

/**
 * Loads a package as {@link findPackage} does.
 *
 * @param user The part of the service that needs it, for the error.
 * @throws InvalidInputError that names the package if it is not installed.
 */
export function requirePackage<Module>(name: string, user: string): Module {
  const found = findPackage<Module>(name);
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `${user} needs the package ${name}, which is not installed: npm install ${name}`,
  );
}
