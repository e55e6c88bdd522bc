import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { ChainDescriptorsConfig } from "hardhat/types/config";
import type { ChainType, NetworkConnection } from "hardhat/types/network";

/** When OP Mainnet had Holocene, unix seconds. */
const holoceneOfMainnet = 1_736_445_601;

/**
 * Closes a connection to a fork of type `op` on whose block Hardhat cannot build. Since Holocene, such a block has its fee
 * parameters in `extraData`; without them, Hardhat 3.17 and 3.18 end the process when they build the next block.
 */
export async function requireBuildableFork(
  connection: NetworkConnection<ChainType | string>,
  chains: ChainDescriptorsConfig,
): Promise<void> {
  if (connection.chainType !== "op") return;
  const params = ["latest", false];
  const block = await connection.provider.request({ method: "eth_getBlockByNumber", params });
  const { number, timestamp, extraData } = Object(block);
  const known = chains.get(BigInt(connection.networkConfig.chainId ?? 0))?.hardforkHistory?.get("holocene");
  const { timestamp: holocene = holoceneOfMainnet } = Object(known);
  if (Number(timestamp) < holocene || hasFeeParameters(String(extraData))) return;
  await connection.close();
  throw new InvalidInputError(
    `The forked node is not one of an OP Stack chain: the extraData of its block ${Number(number)} is ${extraData}, ` +
      "where such a chain has its fee parameters (Holocene). Is it an anvil? " +
      'Connect to it without a fork (type: "http"), or fork the public chain.',
  );
}

/** A version, 0 or 1, and two numbers of four bytes. Hardhat divides by the first, the denominator. */
const hasFeeParameters = (extraData: string) => /^0x0[01](?!00000000)[0-9a-f]{16}/i.test(extraData);
