import type { ConfigHooks } from "hardhat/types/hooks";

export default async (): Promise<Partial<ConfigHooks>> => ({
  async validateUserConfig({ identity }) {
    if (identity?.wallet === undefined) return [];
    const { findSettingsProblem } = await import("../settings.ts");
    const message = findSettingsProblem(identity.wallet);
    return message === undefined ? [] : [{ path: ["identity", "wallet"], message }];
  },

  async resolveUserConfig(userConfig, resolveConfigurationVariable, next) {
    const config = await next(userConfig, resolveConfigurationVariable);
    return { ...config, identity: { wallet: userConfig.identity?.wallet ?? {} } };
  },
});
