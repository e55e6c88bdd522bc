import type { ChainDescriptorsUserConfig } from "hardhat/types/config";
import { localChainId } from "./localNetwork.ts";

/** Chain id of Base. */
export const baseChainId = 8453;

/**
 * The hardforks of Base and Base Sepolia, from Optimism's registry of chains. Hardhat does not know them, and without
 * them every call on a historical block of a fork fails.
 */
export const baseChains: ChainDescriptorsUserConfig = {
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
  [baseChainId]: {
    name: "Base",
    chainType: "op",
    hardforkHistory: {
      regolith: { blockNumber: 0 },
      canyon: { timestamp: 1_704_992_401 },
      ecotone: { timestamp: 1_710_374_401 },
      fjord: { timestamp: 1_720_627_201 },
      granite: { timestamp: 1_726_070_401 },
      holocene: { timestamp: 1_736_445_601 },
      isthmus: { timestamp: 1_746_806_401 },
    },
  },
};
