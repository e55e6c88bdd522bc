import { createRequire } from "node:module";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/**
 * Loads a package that not every service needs, so that nobody has to install it.
 *
 * @param url The importing module's `import.meta.url`: pnpm and Yarn give each package its own dependencies.
 * @returns `undefined` if it is not installed.
 */
export function findPackage<Module>(name: string, url: string): Module | undefined {
  const require = createRequire(url);
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
export function requirePackage<Module>(name: string, url: string, user: string): Module {
  const found = findPackage<Module>(name, url);
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `${user} needs the package ${name}, which is not installed: npm install ${name}`,
  );
}
