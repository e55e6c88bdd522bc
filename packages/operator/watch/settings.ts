import {
  findSameSecret,
  httpUrl,
  optionalKey,
  readSettings,
  refuseProblems,
  type SettingValues,
  secret,
  settings,
  storeSettings,
} from "@hardhat-identity/signer/settings";

/** The settings of the watch alone. */
export const watchSettings = {
  IDENTITY_GUARDIAN_KEY: optionalKey().meta(secret("Key of a guardian, for identity-signer watch --brake")),
  IDENTITY_WATCH_WEBHOOK: httpUrl("an http(s) URL, without user name and password")
    .optional()
    .meta(secret("http(s) URL to which identity-signer watch posts its events as JSON")),
};

const { IDENTITY_RPC_URL, IDENTITY_CHAIN_ID, IDENTITY_REGISTRY } = settings;
const { IDENTITY_METRICS_PORT, IDENTITY_METRICS_HOST } = settings;
const table = {
  IDENTITY_RPC_URL,
  IDENTITY_CHAIN_ID,
  IDENTITY_REGISTRY,
  ...storeSettings,
  ...watchSettings,
  IDENTITY_METRICS_PORT,
  IDENTITY_METRICS_HOST,
};

/** The settings that the watch reads from its environment. */
export type WatchSettings = SettingValues<typeof table>;

/** Throws InvalidInputError as the service's own reader does. */
export function readWatchSettings(env: NodeJS.Dict<string>): WatchSettings {
  const { problems, values } = readSettings(env, table);
  refuseProblems("The settings of the watch are", problems.concat(findSameSecret(values)));
  return values;
}
