// `@hardhat-identity/signer/settings`: the service's settings, how a program with settings of its own reads them, and how
// an error names them.
export { addresses } from "./internal/config/addresses.ts";
export { findSameSecret, readConfig, readStoreSettings, storeSettings } from "./internal/config/config.ts";
export {
  describeSetting,
  findUnknownVariables,
  readSettings,
  refuseProblems,
  type SettingValues,
  variablesOf,
} from "./internal/config/readSettings.ts";
export { httpUrl, oneOf, optionalKey, readBy, secret } from "./internal/config/schemas.ts";
export { settingGroups, settings } from "./internal/config/settings.ts";
export { withRemedy } from "./internal/errors/remedies.ts";
// Declarations name it.
export type { KeyLocation } from "./internal/keys/keyLocation.ts";
export { standardOutput } from "./internal/monitoring/logWriter.ts";
export { listen } from "./internal/network/listen.ts";
