import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import { readDeploymentParameters } from "@nomicfoundation/hardhat-ignition/helpers";
import type { DeploymentParameters, IgnitionModule } from "@nomicfoundation/ignition-core";
import json5 from "json5";

/** Loads an Ignition module. Returns `undefined` if the file does not exist, which Ignition reports itself. */
export async function readModule(path: string): Promise<IgnitionModule | undefined> {
  const file = resolve(path);
  if (!existsSync(file)) return undefined;
  const { default: module } = await import(pathToFileURL(file).href);
  if (membersOf(module).submodules !== undefined) return module;
  throw new InvalidInputError(`${path} exports no Ignition module: write export default buildModule(…).`);
}

/**
 * Reads deployment parameters as `ignition deploy` does.
 *
 * @param input The value of `--parameters`: a path that ends in `.json` or `.json5`, or the parameters as JSON5.
 * Defaults to the file `<module id>.config.json` in the Ignition folder, if it exists.
 */
export async function readParameters(
  input: string | undefined,
  moduleId: string,
  ignitionFolder: string,
): Promise<DeploymentParameters> {
  if (input === undefined) {
    const usual = `${moduleId}.config.json`;
    const found = existsSync(ignitionFolder) && readdirSync(ignitionFolder).includes(usual);
    return found ? readDeploymentParameters(resolve(ignitionFolder, usual)) : {};
  }
  if (/\.json5?$/.test(input)) return readDeploymentParameters(resolve(input));
  try {
    return json5.parse(input);
  } catch (error) {
    throw new InvalidInputError(
      `--parameters must be a file that ends in .json or .json5, or JSON5 such as '{"Airdrop":{"registry":"0x…"}}'; a shell may take away its quotes. ${membersOf(error).message}.`,
    );
  }
}
