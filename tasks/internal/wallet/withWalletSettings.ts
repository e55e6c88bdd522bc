import type { NetworkHooks } from "hardhat/types/hooks";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { WalletSettings } from "../../../wallet/index.ts";

/**
 * Opens connections whose wallets start with the given settings, and return to them on a reset.
 *
 * @param settings Override those of the configuration.
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
      // Runs before the plugin's own handler, which reads the settings from the context.
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
