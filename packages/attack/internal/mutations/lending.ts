// Do tokens count again once another person has them?
import { AbiCoder, id, zeroPadValue } from "ethers";
import { isGrowth } from "../effect.ts";
import { type Attack, pairOf, verdictOf } from "../judge.ts";
import type { Play } from "../play.ts";
import type { Scene } from "../scene.ts";
import type { Done } from "../stage.ts";

/** The tokens of the first wallet that a claim asks about it. */
async function tokensAsked(scene: Scene, { inputs }: Done): Promise<Map<string, bigint>> {
  const { target, wallets, stage } = scene;
  const word = zeroPadValue(wallets.first, 32).slice(2).toLowerCase();
  const asked = inputs.flatMap(([to, data]) => (to !== target.address && data.includes(word) ? [to] : []));
  const held = new Map<string, bigint>();
  for (const to of new Set(asked)) {
    const data = `${id("balanceOf(address)").slice(0, 10)}${word}`;
    const answer = await stage.ask({ from: wallets.first, to, data });
    if (answer?.length === 66 && BigInt(answer) > 0n) held.set(to, BigInt(answer));
  }
  return held;
}

/** Lets a person claim, who then lends another person the tokens that the claim has counted. */
export const lending: Attack = {
  name: "tokens that count again",
  async *run(scene) {
    const { first, second } = scene.wallets;
    const bob: Play = { wallet: second, identity: "bob" };
    const pair = await pairOf(scene, [{}, bob]);
    if ("refusal" in pair) return;
    const totals = [...pair.both].filter(isGrowth);
    const { done: usual } = pair.other;
    for (const [to, amount] of await tokensAsked(scene, pair.one.done)) {
      const values = AbiCoder.defaultAbiCoder().encode(["address", "uint256"], [second, amount]);
      const data = `${id("transfer(address,uint256)").slice(0, 10)}${values.slice(2)}`;
      yield await verdictOf(scene, async () => {
        await scene.play();
        const lent = await scene.send("The first wallet sends its tokens to the second one.", {
          from: first,
          to,
          data,
        });
        const outcome = await scene.play(bob);
        if (!("done" in lent) || !("done" in outcome)) return undefined;
        const { amounts } = outcome.done;
        if (!totals.some((mark) => (amounts.get(mark) ?? 0n) > (usual.amounts.get(mark) ?? 0n)))
          return undefined;
        return `${scene.short} counts tokens again that another person has had counted: count what a wallet had at an earlier block, or keep the tokens.`;
      });
    }
  },
};
