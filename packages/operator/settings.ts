import {
  settingGroups as ofService,
  readConfig,
  refuseProblems,
  variablesOf,
} from "@hardhat-identity/signer/settings";
import { pageSettings, pageVariables, readPageConfig } from "@hardhat-identity/verify-page";
import { watchSettings } from "./watch/settings.ts";

/** All settings but those of the providers, by purpose. */
export const settingGroups = { ...ofService, "Verify page": pageSettings, Watch: watchSettings };

/** All variables that a program of the operator's reads. */
export const knownVariables: readonly string[] = Object.values(ofService)
  .flatMap(variablesOf)
  .concat(pageVariables, variablesOf(watchSettings));

/**
 * Reads the configuration of the service and of its verify page.
 *
 * @throws InvalidInputError that lists every invalid variable of both.
 */
export function loadConfigs(env: NodeJS.Dict<string>) {
  const service = readConfig(env);
  const page = readPageConfig(env);
  refuseProblems("The signer's configuration is", service.problems.concat(page.problems));
  return { service: service.config, page: page.config };
}
