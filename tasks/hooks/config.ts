import type { ConfigHooks } from "hardhat/types/hooks";
import { localChainId, localNetwork } from "../internal/localNetwork.ts";

export default async (): Promise<Partial<ConfigHooks>> => ({
  async extendUserConfig(config, next) {
    const extended = await next(config);
    return {
      ...extended,
      networks: {
        [localNetwork]: { type: "edr-simulated", chainType: "op", chainId: localChainId },
        ...extended.networks,
      },
      chainDescriptors: {
        // Hardhat does not know the chain's hardforks. Without them, every call on a historical block of a fork fails.
        [localChainId]: {
          name: "Base Sepolia",
          chainType: "op",
          hardforkHistory: {
            regolith: { blockNumber: 0 },
            canyon: { timestamp: 1_699_981_200 },
            ecotone: { timestamp: 1_708_534_800 },
            fjord: { timestamp: 1_716_998_400 },
            granite: { timestamp: 1_723_478_400 },
            holocene: { timestamp: 1_732_633_200 },
            isthmus: { timestamp: 1_744_905_600 },
          },
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
