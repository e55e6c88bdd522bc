import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readDeploymentParameters } from "@nomicfoundation/hardhat-ignition/helpers";
import type { DeploymentParameters, IgnitionModule } from "@nomicfoundation/ignition-core";
import json5 from "json5";

/** Loads an Ignition module; `undefined` where there is none, which Ignition reports itself. */
export async function readModule(path: string): Promise<IgnitionModule | undefined> {
  const file = resolve(path);
  if (!existsSync(file)) return undefined;
  const loaded = await import(pathToFileURL(file).href);
  return loaded.default ?? loaded;
}

/**
 * Reads deployment parameters from where `ignition deploy` takes them.
 *
 * @param input What `--parameters` says: a file that ends in `.json` or `.json5`, or the parameters themselves as
 * JSON5; without it, the file `<module id>.config.json` in the Ignition folder where there is one.
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
  return /\.json5?$/.test(input) ? readDeploymentParameters(resolve(input)) : json5.parse(input);
}
