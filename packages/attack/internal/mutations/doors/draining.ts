// Does another function pay more to a contract that calls back?
import { isTouched } from "../../effect.ts";
import { type Door, short } from "../../functions.ts";
import { creditsOf } from "../../gains.ts";
import { delegate, intrude, passing, through } from "../../intruder.ts";
import { choices } from "../../invent.ts";
import { type Verdict, verdictOf } from "../../judge.ts";
import { type Attempt, composeCall, openingsOf } from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import type { Call } from "../../stage.ts";

/** Calls a function from a verified contract that calls back, and compares its gains with those of the same calls in turn. */
export async function drain(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, third } = scene.wallets;
  if (scene.isTrusted) return undefined;
  // Fill the contract with other people's payments, which the attack then tries to take.
  await scene.play({ wallet: second, identity: "bob" });
  const { intruder } = await intrude(scene);
  const claim = await scene.draft({ wallet: intruder });
  if (claim === undefined) return undefined;
  const claimed = await through(scene, intruder, first, claim);
  if (!("done" in claimed)) return undefined;
  // The intruder is neither the first in a list nor the last.
  await scene.play({ wallet: third, identity: "carol" });
  // The second wallet pays no gas, which would change its balance.
  await delegate(scene, second, "attack/Intruder");
  const tokens = [...new Set(claimed.done.logs.map(({ address }) => address))];
  const simulate = async (call: Call) => {
    const outcome = await scene.stage.simulate(passing(intruder, first, call));
    return "done" in outcome ? outcome.done : undefined;
  };
  // All that a claim gave is paid twice where a part of it is not.
  const amounts = creditsOf(claimed.done);
  const wealth = (accounts: readonly string[]) => readWealth(scene, accounts, tokens);
  const { moves } = await openingsOf(scene);
  const attempt = async (door: Door): Promise<Verdict | undefined> => {
    let result: Verdict | undefined;
    for (const choice of choices(door, amounts).slice(0, 8)) {
      // After the first number that pays, only those that a claim gave.
      if (result !== undefined && !amounts.includes(choice.number)) continue;
      const pay = composeCall(scene, door, intruder, choice);
      if (!(await simulate(pay))?.called.has(intruder)) continue;
      const has = await wealth([intruder]);
      const isPaid = await scene.branch(async () => {
        await through(scene, intruder, first, pay);
        return (await wealth([intruder])).some((amount, i) => amount > (has[i] ?? 0n));
      });
      if (!isPaid) continue;
      const others = scene.doors.flatMap((each) =>
        choices(each)
          .slice(0, 4)
          .map((way) => ({
            each,
            back: composeCall(scene, each, intruder, { ...way, addresses: [second], given: {} }),
          })),
      );
      for (const { each, back } of [{ each: door, back: pay }, ...(result === undefined ? others : [])]) {
        if (back !== pay && !(await simulate(back))) continue;
        const collect = composeCall(scene, door, second, choice);
        const play = async (...calls: (readonly [call: Call, callback?: Call])[]) => {
          for (const [call, callback] of calls) {
            const outcome = await through(scene, intruder, first, call, callback);
            // A call that is refused leaves its caller what it would have taken.
            if (callback !== undefined && !("done" in outcome)) return [];
          }
          await through(scene, second, first, collect);
          return wealth([intruder, second]);
        };
        // An amount that grows by the second is not less afterwards.
        const meanwhile = await scene.branch(() => play([pay, back]));
        const inTurn = [
          await scene.branch(() => play([pay])),
          await scene.branch(() => play([pay], [back])),
          await scene.branch(() => play([back], [pay])),
        ];
        if (!meanwhile.some((amount, i) => inTurn.every((amounts) => amount > (amounts[i] ?? 0n)))) continue;
        const what = each === door ? "it again" : short(each);
        return verdictOf(scene, async () => {
          await play([pay, back]);
          return `${short(door)} pays more to a contract that calls ${what} while it is paid: write down what was paid before you pay.`;
        });
      }
      result = "held";
    }
    return result;
  };
  return async function* (door) {
    const places = await scene.stage.placesOf(
      composeCall(scene, door, first, { number: 1n, items: 1, value: 0n }),
    );
    // Some pay only what was asked for, which takes another call before.
    const relevant = moves.filter(({ changed }) => changed === undefined || isTouched(places, changed));
    for (const move of [undefined, ...relevant]) {
      const verdict = await scene.branch(async () => {
        await move?.run(intruder);
        return attempt(door);
      });
      if (verdict !== undefined) yield verdict;
      if (typeof verdict === "object") return;
    }
  };
}

/** The accounts' total of ether and of each token. */
async function readWealth(
  scene: Scene,
  accounts: readonly string[],
  tokens: readonly string[],
): Promise<bigint[]> {
  const { node, ask: askNode } = scene.stage;
  const each = await Promise.all(
    accounts.map(async (account) => {
      const data = `0x70a08231${account.slice(2).padStart(64, "0")}`;
      const balances = await Promise.all(tokens.map((to) => askNode({ from: account, to, data })));
      const ether = await node.request({ method: "eth_getBalance", params: [account, "latest"] });
      return [String(ether), ...balances].map((balance) => BigInt(balance && balance !== "0x" ? balance : 0));
    }),
  );
  return [0, ...tokens].map((_, i) => each.reduce((sum, has) => sum + (has[i] ?? 0n), 0n));
}
