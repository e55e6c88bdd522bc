import type { NetworkHooks } from "hardhat/types/hooks";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { WalletSettings } from "../../../wallet/index.ts";

/**
 * Opens connections whose wallets start with settings, as if the configuration had them; a reset goes back to them.
 *
 * @param settings On top of those of the configuration.
 * @param open Opens the connections.
 */
export async function withWalletSettings<T>(
  hre: HardhatRuntimeEnvironment,
  settings: Partial<WalletSettings>,
  open: () => Promise<T>,
): Promise<T> {
  const handlers: Partial<NetworkHooks> = {
    async newConnection(context, next) {
      const { config } = context;
      const identity = { ...config.identity, wallet: { ...config.identity.wallet, ...settings } };
      // Before the plugin's own handler, which takes the settings from there.
      return next(Object.create(context, { config: { value: { ...config, identity } } }));
    },
  };
  hre.hooks.registerHandlers("network", handlers);
  try {
    return await open();
  } finally {
    hre.hooks.unregisterHandlers("network", handlers);
  }
}
