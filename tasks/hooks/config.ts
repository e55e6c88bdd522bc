import type { ConfigHooks } from "hardhat/types/hooks";

/** Name of the local network that `identity dev` serves: chain 84532 of chain type op. */
export const localNetwork = "identityLocal";

const chainId = 84532;

export default async (): Promise<Partial<ConfigHooks>> => ({
  async extendUserConfig(config, next) {
    const extended = await next(config);
    return {
      ...extended,
      networks: {
        [localNetwork]: { type: "edr-simulated", chainType: "op", chainId },
        ...extended.networks,
      },
      chainDescriptors: {
        // Without it no call on a historical block of a fork works: Hardhat does not know the chain's hardforks.
        [chainId]: {
          name: "Base Sepolia",
          chainType: "op",
          hardforkHistory: { isthmus: { blockNumber: 0 } },
        },
        ...extended.chainDescriptors,
      },
    };
  },

  async validateUserConfig({ identity }) {
    if (identity?.wallet === undefined) return [];
    const { findSettingsProblem } = await import("../../wallet/settings.ts");
    const message = findSettingsProblem(identity.wallet);
    return message === undefined ? [] : [{ path: ["identity", "wallet"], message }];
  },

  async resolveUserConfig(userConfig, resolveConfigurationVariable, next) {
    const config = await next(userConfig, resolveConfigurationVariable);
    return { ...config, identity: { wallet: userConfig.identity?.wallet ?? {} } };
  },
});
