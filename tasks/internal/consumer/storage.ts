import { type Block, getStorageAt, type IdentityLocation, identityPosition } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";

/** A slot of a contract, or the slot in which a consumer records that an identity has been used. */
export type StoragePlace =
  | { readonly address: string; readonly position: string }
  | (IdentityLocation & { readonly consumer: string });

/** The value of a slot. */
export interface StorageReading {
  readonly address: string;
  readonly position: string;
  readonly block: Block;
  /** 32 bytes hex. */
  readonly value: string;
  readonly identityHash?: string;
  /** The round that was asked for. */
  readonly round?: string;
  /** Whether the identity has been used. */
  readonly used?: boolean;
}

/**
 * Reads a slot by its position or by the identity that it belongs to.
 *
 * @throws IdentityError `INVALID_ARGUMENT` that says what is wrong with the place or the block.
 */
export async function readStorage(
  node: Eip1193Connection,
  place: StoragePlace,
  block: Block,
): Promise<StorageReading> {
  if ("position" in place) {
    const { address, position } = place;
    return { address, position, block, value: await getStorageAt(node, { address, position, block }) };
  }
  const { consumer: address, identityHash, round } = place;
  const position = identityPosition(place);
  const value = await getStorageAt(node, { address, position, block });
  return {
    address,
    position,
    block,
    value,
    identityHash,
    ...(round !== undefined && { round }),
    used: BigInt(value) !== 0n,
  };
}
