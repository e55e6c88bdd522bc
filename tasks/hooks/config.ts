import type { ConfigHooks } from "hardhat/types/hooks";
import { baseChains } from "../internal/baseChains.ts";
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
      chainDescriptors: { ...baseChains, ...extended.chainDescriptors },
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
