import type { ChainDescriptorsUserConfig, NetworkUserConfig } from "hardhat/types/config";
import type { ConfigHooks } from "hardhat/types/hooks";
import { baseChains } from "../internal/baseChains.ts";
import { localChainId, localNetwork, stackNetwork } from "../internal/localNetwork.ts";

export default async (): Promise<Partial<ConfigHooks>> => ({
  async extendUserConfig(config, next) {
    const extended = await next(config);
    const { networks = {}, chainDescriptors } = extended;
    return {
      ...extended,
      networks: {
        ...networks,
        [localNetwork]: completeLocal(networks[localNetwork]),
        // Connections replace the URL. The spread keeps it when Hardhat resolves the configuration again for them.
        [stackNetwork]: {
          type: "http",
          url: "http://127.0.0.1:8545",
          ...networks[stackNetwork],
        } as NetworkUserConfig,
      },
      chainDescriptors: completeChains(chainDescriptors),
    };
  },

  async validateUserConfig({ networks }) {
    if (networks?.[localNetwork]?.type !== "http") return [];
    const message = `must not be of type "http": commands start this chain in their process, and move its clock. Give your node another name.`;
    return [{ path: ["networks", localNetwork], message }];
  },
});

/** Adds the plugin's settings of the local network to the project's own. */
function completeLocal(own: NetworkUserConfig | undefined): NetworkUserConfig {
  // Of type "http", validateUserConfig refuses it.
  return { type: "edr-simulated", chainType: "op", chainId: localChainId, ...own } as NetworkUserConfig;
}

/** Adds the plugin's settings of a chain to the project's own, whose other settings keep the hardforks. */
function completeChains(own: ChainDescriptorsUserConfig = {}): ChainDescriptorsUserConfig {
  const completed: ChainDescriptorsUserConfig = { ...own };
  for (const [id, known] of Object.entries(baseChains)) {
    const descriptor = own[id];
    // The hardforks of another chain type have other names.
    const isOp = (descriptor?.chainType ?? "op") === "op";
    if (isOp) completed[id] = { ...known, ...descriptor };
  }
  return completed;
}
