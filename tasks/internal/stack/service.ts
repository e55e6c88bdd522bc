import { loadConfig, type RunningService, startSigner } from "../../../signer/index.ts";
import { findBundles } from "../../../web/server/bundles.ts";

/**
 * Starts the signer service alone, with its verify page.
 *
 * @param environment Configures it; see docs/signer.md.
 * @param networkUrl The node to use where the environment names none.
 * @throws InvalidInputError that lists every bad variable.
 */
export async function startService(
  environment: NodeJS.ProcessEnv,
  networkUrl: string | undefined,
): Promise<RunningService> {
  // Set to nothing counts as missing, as it does for every variable.
  const config = loadConfig({
    ...environment,
    IDENTITY_RPC_URL: environment.IDENTITY_RPC_URL || (environment.IDENTITY_RPC_URL_FILE ? "" : networkUrl),
  });
  return startSigner(config, { verifyBundle: (await findBundles()).verify });
}
