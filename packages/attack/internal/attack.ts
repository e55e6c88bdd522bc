import { describeRevert } from "@hardhat-identity/protocol/reverts";
import type { Door } from "./functions.ts";
import type { Claim, Found, Ready, Scene } from "./scene.ts";
import type { Outcome } from "./stage.ts";

/** An attack on an entry point. It begins in the contract's first state, and everything is taken back afterwards. */
export interface Attack {
  readonly name: string;
  /** Tries it, and answers what went wrong with the contract, if anything did. */
  run(scene: Scene, entry: Ready): Promise<Found | undefined>;
}

/** An attack on the contract as a whole. */
export interface ContractAttack {
  readonly name: string;
  run(scene: Scene): Promise<Found[]>;
}

/** The function's bare name, as in a sentence. */
export const short = ({ name }: { readonly name: string }) => `${name.split("(")[0]}()`;

/** A function at which nothing could be tried. */
export interface Untried {
  readonly attack: string;
  /** Empty if the contract as a whole could not be tried. */
  readonly entryPoint: string;
  /** The error, such as `SaleClosed()`, or what else is in the way. */
  readonly revert: string;
}

/** The name that stands for all attacks, where an entry point refuses everything. */
export const everyAttack = "every attack";

/** Describes the revert of a function that could not be tried. */
export const describeUntried = (
  { target }: Scene,
  attack: string,
  { name }: Door,
  revert: string,
): Untried => ({
  attack,
  entryPoint: name,
  revert: describeRevert(revert, { abis: [target.abi] }).text,
});

/** Runs something for one item after the other, until it answers something. */
export async function firstOf<T, R>(
  items: Iterable<T>,
  run: (item: T) => Promise<R | undefined> | undefined,
): Promise<R | undefined> {
  for (const item of items) {
    const result = await run(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** An attack that is one claim, which must be refused. */
export interface Trial {
  readonly name: string;
  /** Whether the person has been counted before, with the first wallet. */
  readonly isAgain?: boolean;
  /** Seconds since then. */
  readonly after?: number;
  /** The differences from the first wallet's claim with its own verification. */
  claim?(scene: Scene): Partial<Claim>;
  /** The entry point's fault if it admits the claim, and the remedy. */
  readonly means: string;
  /** Whether that is meant so, after all. */
  isMeant?(scene: Scene, entry: Ready, before: Outcome | undefined, claimed: Outcome): Promise<boolean>;
}

/** Makes an attack of a claim that must be refused. */
export const tryClaim = ({ name, isAgain, after = 0, claim, means, isMeant }: Trial): Attack => ({
  name,
  async run(scene, entry) {
    const trial: Claim = claim?.(scene) ?? {};
    const gains = await scene.gains(entry, trial.wallet);
    const before = isAgain && (await scene.claim(entry));
    if (after > 0) await scene.stage.pass(after);
    const claimed = await scene.claim(entry, trial);
    if (isAgain && gains.size === 0) return undefined;
    if (!scene.isAdmitted(claimed, gains) || (await isMeant?.(scene, entry, before || undefined, claimed)))
      return undefined;
    return scene.found(`${short(entry)} ${means}`);
  },
});
