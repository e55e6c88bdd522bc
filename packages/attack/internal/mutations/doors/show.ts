// Steps that the attacks on other functions share.
import type { Places } from "../../effect.ts";
import { type Pair, type Verdict, verdictOf } from "../../judge.ts";
import type { Way } from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import type { Done } from "../../stage.ts";

/** A claim of the first wallet that was just made. */
export interface Aftermath {
  readonly scene: Scene;
  readonly claimed: Done;
  /** The gains of the first wallet, and those of another one. */
  readonly pair: Pair;
  /** The answers of the contract's getters about the wallet before it. */
  readonly before: ReadonlyMap<string, bigint>;
}

/** Calls a function as it was tried, and judges what that shows. */
export type Judge = (way: Way) => Promise<string | undefined>;

/** Calls a function as it was tried, and composes a finding if that shows a fault. */
export async function* show(
  scene: Scene,
  ways: readonly Way[],
  judge: (way: Way) => Promise<string | { readonly refusal: string } | undefined>,
): AsyncIterable<Verdict> {
  for (const way of ways) yield await verdictOf(scene, () => judge(way));
}

export const ask = ({ wallets, target: { owner } }: Scene, ...more: readonly string[]) => [
  ...more,
  wallets.stranger,
  ...(owner === undefined ? [] : [owner]),
];

/** Reads on what parts of the state a claim depends, in the transaction that takes the verification and those after it. */
export async function aboutClaim(scene: Scene, wallet: string): Promise<Places> {
  const places: string[] = [];
  for (let after = 0; after <= scene.later; ++after) {
    await scene.branch(async () => {
      const call = await scene.draft({ wallet }, after);
      if (call !== undefined) places.push(...(await scene.stage.placesOf(call)));
    });
  }
  return new Set(places);
}

/** Nothing to try. */
export async function* nothing(): AsyncIterable<Verdict> {}
