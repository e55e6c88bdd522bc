// Steps that the attacks on other functions share.
import type { Places } from "../../effect.ts";
import type { Verdict } from "../../judge.ts";
import type { Way } from "../../openings.ts";
import type { Scene } from "../../scene.ts";

/** Calls a function as it was tried, and composes a finding if that shows a fault. */
export const show = (
  scene: Scene,
  ways: readonly Way[],
  judge: (way: Way) => Promise<string | { readonly refusal: string } | undefined>,
) =>
  verdicts(ways, (way) =>
    scene.branch(async (): Promise<Verdict> => {
      const message = await judge(way);
      if (typeof message === "object") return message;
      return message === undefined ? "held" : { found: scene.found(message) };
    }),
  );

async function* verdicts<T>(
  items: readonly T[],
  judge: (item: T) => Promise<Verdict>,
): AsyncIterable<Verdict> {
  for (const item of items) yield await judge(item);
}

export const ask = ({ wallets, target: { owner } }: Scene, ...more: readonly string[]) => [
  ...more,
  wallets.stranger,
  ...(owner === undefined ? [] : [owner]),
];

/** Reads on what parts of the state a claim depends. */
export const aboutClaim = (scene: Scene, wallet: string): Promise<Places> =>
  scene.branch(async () => {
    const call = await scene.draft({ wallet });
    return call === undefined ? new Set<string>() : scene.stage.placesOf(call);
  });

/** Nothing to try. */
export async function* nothing(): AsyncIterable<Verdict> {}

/**
 * Whether a word of storage grows by as much again; several numbers may share a word, of which another one may grow. A hash
 * in place of a number is no growth.
 */
export const isMultiple = (once: bigint | undefined, again: bigint | undefined, mark: string): boolean =>
  mark.startsWith("slot ") &&
  once !== undefined &&
  again !== undefined &&
  again % once === 0n &&
  (again < 2n ** 200n || once >= 2n ** 200n);
