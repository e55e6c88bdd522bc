import type { ChainDescriptorsUserConfig } from "hardhat/types/config";
import { localChainId } from "./localNetwork.ts";

/** Chain id of Base. */
export const baseChainId = 8453;

/**
 * The hardforks of Base and Base Sepolia, from Optimism's registry of chains. Hardhat does not know them, and without
 * them every call on a historical block of a fork fails.
 *
 * Isthmus is the last one that Hardhat 3.18 (EDR 0.22) has rules for. The later ones are Jovian (2025-12-02), Azul
 * (2026-05-28; Base Sepolia 2026-04-20), Beryl (2026-06-25; 2026-06-18) and Denim (2026-11-05; 2026-10-21). A fork runs
 * their blocks by Isthmus' rules: without Azul's limit of 2^24 gas for a transaction and its price of P-256, and with a
 * second between its own blocks. A test fails when Hardhat learns the next name.
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
