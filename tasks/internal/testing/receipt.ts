import type { NetworkConnection } from "hardhat/types/network";
import { type Receipt, waitForReceipt } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Hex } from "../../../protocol/hex.ts";

/** A receipt of the project's toolbox: of ethers if it has both, and of the node if it has none. */
export type ToolboxReceipt = NetworkConnection extends {
  ethers: { provider: { getTransactionReceipt: (...args: never) => Promise<infer EthersReceipt> } };
}
  ? NonNullable<EthersReceipt>
  : NetworkConnection extends {
        viem: {
          getPublicClient: (
            ...args: never
          ) => Promise<{ getTransactionReceipt: (...args: never) => Promise<infer ViemReceipt> }>;
        };
      }
    ? ViemReceipt
    : Receipt;

/** The members that the toolboxes add to a connection, as far as they are used here. */
interface Toolboxes {
  readonly ethers?: { readonly provider: { getTransactionReceipt(hash: Hex): Promise<unknown> } };
  readonly viem?: {
    getPublicClient(): Promise<{ getTransactionReceipt(asked: { hash: Hex }): Promise<unknown> }>;
  };
}

/**
 * Waits until a transaction is included.
 *
 * @param connection Has `ethers` or `viem` if the project uses that toolbox.
 * @throws IdentityError `REVERTED` if it was reverted.
 */
export async function waitForToolboxReceipt(
  node: Eip1193Connection,
  connection: object,
  hash: Hex,
): Promise<ToolboxReceipt> {
  const { ethers, viem }: Toolboxes = connection;
  const receipt = await waitForReceipt(node, { hash, interval: 50 });
  const own = ethers
    ? await ethers.provider.getTransactionReceipt(hash)
    : await (await viem?.getPublicClient())?.getTransactionReceipt({ hash });
  return (own ?? receipt) as ToolboxReceipt;
}
