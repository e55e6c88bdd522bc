import type { NodeProblem } from "@hardhat-identity/protocol/chain/connect";
import type { AllowlistReading } from "@hardhat-identity/protocol/chain/registry";

type Kind = NodeProblem | NonNullable<AllowlistReading["kind"]>;

/** The settings that an operator changes to solve a problem of the node or the registry. */
const remedies: Readonly<Record<Kind, string>> = {
  redirect: "Set IDENTITY_RPC_URL to the URL where the redirect ends, with its path and slashes.",
  "wrong-chain":
    "Set IDENTITY_RPC_URL to a node of the chain that IDENTITY_CHAIN_ID names, or correct that id.",
  "unknown-hardfork":
    'If IDENTITY_RPC_URL is a Hardhat node, its network in hardhat.config.ts needs chainType: "op", and chainDescriptors with the hardforkHistory of its chain.',
  "no-registry": "Set IDENTITY_REGISTRY to the deployed SignerRegistry.",
};

/** Adds to the sentence on a problem what its operator has to do. */
export const withRemedy = (problem: string, kind: Kind | undefined): string =>
  kind === undefined ? problem : `${problem} ${remedies[kind]}`;
