// Does a function pay its caller twice, if the caller calls back?
import { firstOf, short } from "../attack.ts";
import { mayHelp, onDoors, placesOf } from "../doors.ts";
import type { Door } from "../functions.ts";
import { choices } from "../invent.ts";
import type { Ready, Scene } from "../scene.ts";
import { accountOf, type Call } from "../stage.ts";

/** Calls a function from a verified contract that calls back, and compares its gains with those of the same calls in turn. */
export const draining = onDoors("paid twice by calling back", drain);

async function drain(scene: Scene, entry: Ready) {
  const { first, second } = scene.wallets;
  const other = accountOf("wallet of somebody else");
  await scene.equip(other);
  // Fill the contract with other people's payments, which the attack then tries to take.
  await scene.claim(entry, { wallet: second, identity: "bob" });
  await scene.claim(entry, { wallet: other, identity: "carol" });
  const { intruder } = await scene.intrude();
  const claim = await scene.callOf(entry, { wallet: intruder });
  if (!("done" in (await scene.through(intruder, first, claim)))) return undefined;
  // The second wallet pays no gas, which would change its balance.
  await scene.delegate(second, "attack/Intruder");
  const simulate = async (call: Call) => {
    const outcome = await scene.stage.simulate(scene.passing(intruder, first, call));
    return "done" in outcome ? outcome.done : undefined;
  };
  const pays = async (call: Call) => {
    if (!(await simulate(call))?.called.has(intruder)) return false;
    const has = await wealth(scene, [intruder]);
    return scene.branch(async () => {
      await scene.through(intruder, first, call);
      return (await wealth(scene, [intruder])).some((amount, i) => amount > (has[i] ?? 0n));
    });
  };
  const attempt = (door: Door) =>
    firstOf(choices(door).slice(0, 8), async (choice) => {
      const pay = scene.callOther(door, intruder, choice);
      if (!(await pays(pay))) return undefined;
      const others = scene.others.flatMap((each) =>
        choices(each)
          .slice(0, 4)
          .map((way) => ({
            each,
            back: scene.callOther(each, intruder, { ...way, address: second }),
          })),
      );
      return firstOf([{ each: door, back: pay }, ...others], async ({ each, back }) => {
        if (back !== pay && !(await simulate(back))) return undefined;
        const calls = { pay, back, collect: scene.callOther(door, second, choice) };
        return scene.branch(async () => {
          if (!(await paysMore(scene, intruder, calls))) return undefined;
          const called = each === door ? "it again" : short(each);
          return scene.found(
            `${short(door)} pays more to a contract that calls ${called} while it is paid: write down what was paid before you pay.`,
          );
        });
      });
    });
  return async (door: Door) => {
    const places = await placesOf(scene, door, first);
    // Some pay only what was asked for, which takes another call before.
    const moves = scene.moves.filter((move) => mayHelp(move, places));
    return firstOf([undefined, ...moves], (move) =>
      scene.branch(async () => {
        await move?.run(intruder);
        return attempt(door);
      }),
    );
  };
}

/** A call that pays, the one that is made meanwhile, and the one by which an accomplice collects what the latter gave them. */
interface Calls {
  readonly pay: Call;
  readonly back: Call;
  readonly collect: Call;
}

/** Whether a contract and its accomplice have more if it calls back while it is paid than if it makes the same calls in turn. */
async function paysMore(scene: Scene, intruder: string, { pay, back, collect }: Calls): Promise<boolean> {
  const { first } = scene.wallets;
  const play = async (...moves: (readonly [call: Call, callback?: Call])[]) => {
    for (const [call, callback] of moves) await scene.through(intruder, first, call, callback);
    await scene.through(collect.from, first, collect);
    return wealth(scene, [intruder, collect.from]);
  };
  const inTurn = [
    await scene.branch(() => play([pay])),
    await scene.branch(() => play([pay], [back])),
    await scene.branch(() => play([back], [pay])),
  ];
  const meanwhile = await play([pay, back]);
  return meanwhile.some((amount, i) => inTurn.every((amounts) => amount > (amounts[i] ?? 0n)));
}

/** The accounts' total of ether and of each token. */
async function wealth(scene: Scene, accounts: readonly string[]): Promise<bigint[]> {
  const { node } = scene.stage;
  const each = await Promise.all(
    accounts.map(async (account) => [
      BigInt(String(await node.request({ method: "eth_getBalance", params: [account, "latest"] }))),
      ...(await Promise.all(scene.tokens.map((token) => scene.balance(token, account)))),
    ]),
  );
  return [0, ...scene.tokens.keys()].map((_, i) => each.reduce((sum, has) => sum + (has[i] ?? 0n), 0n));
}
