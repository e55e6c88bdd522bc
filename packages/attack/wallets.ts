import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { computeAddress, dataSlice, id } from "ethers";

/** A wallet of the attacks, with a key that everybody knows. */
export interface AttackWallet {
  readonly address: Hex;
  readonly privateKey: Hex;
}

function walletOf(name: string): AttackWallet {
  const privateKey = id(`hardhat-identity attack: ${name}`) as Hex;
  return { address: computeAddress(privateKey) as Hex, privateKey };
}

/**
 * The wallets that claim in every attack, for what a test gives them beforehand: tokens, votes, a place on a list.
 *
 * @example
 * ```ts
 * import { attackWallets } from "@hardhat-identity/attack/wallets";
 *
 * const listed = Object.values(attackWallets).map(({ address }) => address);
 * ```
 */
export const attackWallets = {
  /** A verified person's phone. */
  first: walletOf("first wallet"),
  /** Another wallet of the same person. */
  second: walletOf("second wallet"),
  /** A wallet of another verified person. */
  third: walletOf("third wallet"),
  /** A wallet of somebody whom nobody has verified. */
  stranger: walletOf("stranger"),
};

/** The key of a wallet of the attacks; `undefined` for every other address. */
export const keyOf = (address: string): Hex | undefined =>
  Object.values(attackWallets).find((each) => each.address.toLowerCase() === address.toLowerCase())
    ?.privateKey;

/** An account without a key or code; always the same for a name. */
export const accountOf = (name: string): string =>
  checksumAddress(dataSlice(id(`hardhat-identity attack: ${name}`), 12));
