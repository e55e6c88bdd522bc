import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { checkAddress } from "../internal/arguments.ts";
import { type Block, getStorageAt } from "./getStorageAt.ts";
import { type IdentityLocation, identityPosition } from "./identityPosition.ts";

/**
 * Reads from a consumer's storage whether an identity is used. A contract that neither extends `VerifyOnce` nor has a
 * mapping at `mappingSlot` reads as `false`. Grant nothing for an identity used only at `pending`: the
 * transaction may be dropped. A node that has no pending block is read at `latest`.
 *
 * @param options.chainId The consumer's chain. Give it for a wallet: on another chain, nothing is used.
 * @throws IdentityError `client_invalid_argument`, `client_wrong_chain`, `client_rpc_error`, `client_invalid_response`.
 * @example
 * ```ts
 * import { isIdentityUsed } from "@hardhat-identity/client";
 *
 * const used = await isIdentityUsed(window.ethereum, {
 *   consumer: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   identityHash: "0x3fd54831f488a22b28398de0c567a3b064b937f54f81739ae9bd545967f3abab",
 *   block: "pending",
 * });
 * console.log(used); // false
 * ```
 */
export async function isIdentityUsed(
  node: Eip1193Connection,
  options: IdentityLocation & {
    readonly consumer: string;
    readonly block: Block;
    readonly chainId?: number | undefined;
  },
): Promise<boolean> {
  const address = checkAddress("consumer", options.consumer);
  const position = identityPosition(options);
  const { block, chainId } = options;
  return BigInt(await getStorageAt(node, { address, position, block, chainId })) !== 0n;
}
