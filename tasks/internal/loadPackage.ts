import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/**
 * Loads a module of a part of the toolkit that is a package of its own. It is imported by its name alone: that package
 * stands on this one.
 *
 * @param module Such as `@hardhat-identity/dev/actions/dev`.
 * @throws InvalidInputError if the package is not installed.
 */
export async function loadPackage<Module>(module: string): Promise<Module> {
  try {
    return await import(module);
  } catch (error) {
    const name = module.split("/").slice(0, 2).join("/");
    const { code, message } = error as NodeJS.ErrnoException;
    // Node names the package that it looked for.
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    throw new InvalidInputError(`This needs the package ${name}: npm install --save-dev ${name}`);
  }
}
