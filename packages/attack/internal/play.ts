// The changes of a claim, and what is known of the contract under attack.
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { id } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import type { MintOptions } from "hardhat-identity/internal/consumer/mint";
import type { Step } from "hardhat-identity/internal/testing/attack";
import { attackWallets } from "../wallets.ts";
import type { Edit } from "./calldata.ts";
import type { Effect } from "./effect.ts";
import type { Done } from "./stage.ts";

/** The contract under attack. */
export interface Target {
  readonly name: string;
  readonly address: string;
  readonly abi: readonly AbiEntry[];
  readonly registry: string;
  /** The account with special rights; `undefined` if none is known. */
  readonly owner: string | undefined;
}

/** A fault that was shown on the chain. */
export interface Found {
  /** The fault and its remedy. */
  readonly message: string;
  /** The function at which it goes wrong, if it is not the one that claims. */
  readonly entryPoint?: string | undefined;
  readonly change?: string | undefined;
  /** The transactions that show it. */
  readonly transactions: readonly Step[];
}

/** A change of the transaction that takes the verification, and of what comes before it. */
export type Change = Pick<Edit, "what" | "apply" | "before" | "sign">;

/** A claim, and how it differs from the first wallet's claim as alice. */
export interface Play {
  readonly wallet?: string | undefined;
  /** Name of a person. */
  readonly identity?: string | undefined;
  /** The differences from a valid verification of this wallet and person. */
  readonly mint?: Partial<MintOptions> | undefined;
  /** Another verification altogether, or a change of the valid one. */
  readonly verification?:
    | SignedVerification
    | ((valid: SignedVerification) => SignedVerification)
    | undefined;
  /** The change of the transaction that takes the verification. */
  readonly edit?: Change | undefined;
  /** The account that claims for the wallet, instead of the one that the developer has named. */
  readonly sender?: string | undefined;
}

/** Adds a change to a claim. */
export function withEdit(play: Play, edit: Change | undefined): Play {
  const { edit: own } = play;
  if (edit === undefined || own === undefined) return { ...play, edit: own ?? edit };
  return {
    ...play,
    edit: {
      what: `${own.what}, ${edit.what}`,
      apply: (call) => own.apply(edit.apply(call)),
      before: (call) => {
        const changed = edit.before?.(call) ?? call;
        return own.before?.(changed) ?? changed;
      },
      sign: (message) => {
        const changed = edit.sign?.(message) ?? message;
        return own.sign?.(changed) ?? changed;
      },
    },
  };
}

/** A verification that nobody has signed. */
export const madeUp: SignedVerification = {
  identityHash: id("nobody") as Hex,
  expiration: 2 ** 40 - 1,
  signature: `0x${"11".repeat(32)}${"22".repeat(32)}1b`,
};

/** The key of a signer whom only the stranger's registry trusts. */
export const rogueKey = id("rogue signer");

/** The gains that all people have by a claim; or the refusal of everybody. */
export type Gains = { readonly gains: Effect; readonly done: Done } | { readonly refusal: string };

/** The addresses of the attacks' wallets. */
export const wallets = {
  first: attackWallets.first.address as string,
  second: attackWallets.second.address as string,
  third: attackWallets.third.address as string,
  stranger: attackWallets.stranger.address as string,
};

/** The names of wallets in the words of a step. */
export const called = new Map([
  [wallets.first, "The first wallet"],
  [wallets.second, "The second wallet"],
  [wallets.third, "The third wallet"],
  [wallets.stranger, "A stranger"],
]);
