// Do the policy and the cutoff stay what they are?
import type { Attack, Verdict } from "../judge.ts";
import type { Scene } from "../scene.ts";
import { type Call, day, month } from "../stage.ts";

const getters = ["provider", "conditions", "cutoffBlock", "registry", "owner"] as const;

/** A contract's answers about its policy. */
export type Said = Readonly<Record<(typeof getters)[number], string | undefined>>;

/** The calls by which a contract is asked whom it admits. */
export const askings = (scene: Scene, call?: Partial<Call>): Call[] =>
  getters.map((getter) => scene.asking(`${getter}()`, call));

/** Asks a contract whom it admits. */
export async function listen(scene: Scene, call?: Partial<Call>): Promise<Said> {
  const answers = await Promise.all(askings(scene, call).map(scene.stage.ask));
  return Object.fromEntries(getters.map((getter, i) => [getter, answers[i]])) as Said;
}

/** Explains what changed from one answer to another; `undefined` if nothing did. */
export function explainChange(one: Said, another: Said, when: string): string | undefined {
  for (const getter of ["provider", "conditions", "registry"] as const) {
    if (one[getter] === another[getter]) continue;
    const what = getter === "registry" ? "registry" : "policy";
    return `The ${what} changes ${when}: ${getter}() answers something else, so outstanding verifications are void and one person may count again. Return literals, constants or immutables.`;
  }
  const [was, is] = [toBlock(one.cutoffBlock), toBlock(another.cutoffBlock)];
  if (is < was) {
    return `The cutoff goes back ${when}, from block ${was} to ${is}, so credentials count again that were too old. Let cutoffBlock() only rise.`;
  }
  return undefined;
}

const toBlock = (answer: string | undefined) =>
  /^0x[\da-f]{64}$/i.test(answer ?? "") ? BigInt(answer ?? 0) : 0n;

/** Composes an attack that hears the policy in several ways, until it hears two. */
const hear = (name: string, run: (scene: Scene) => AsyncIterable<string | undefined>): Attack => ({
  name,
  async *run(scene) {
    for await (const message of run(scene)) {
      const entryPoint = message?.includes("cutoff") ? "cutoffBlock()" : "conditions()";
      const verdict: Verdict =
        message === undefined ? "held" : { found: scene.found(message, { entryPoint }) };
      yield verdict;
      if (message !== undefined) return;
    }
  },
});

export const policy: readonly Attack[] = [
  hear("policy that depends on the caller", async function* (scene) {
    const { registry, owner } = scene.target;
    const callers = [
      scene.wallets.stranger,
      scene.wallets.first,
      registry,
      ...(owner === undefined ? [] : [owner]),
    ];
    const [one, ...others] = await Promise.all(callers.map((from) => listen(scene, { from })));
    for (const another of others) {
      if (one === undefined) continue;
      // Compare in both directions, because either cutoff may be the lower one.
      yield explainChange(one, another, "with who asks") ?? explainChange(another, one, "with who asks");
    }
  }),
  hear("policy that depends on the gas", async function* (scene) {
    const whole = await listen(scene);
    for (const gas of [60_000n, 100_000n, 200_000n, 400_000n, 1_000_000n, 3_000_000n, 12_000_000n]) {
      const said = await listen(scene, { gas });
      // Too little gas for an answer is no other answer.
      const heard = getters.map((getter) => [getter, said[getter] ?? whole[getter]]);
      yield explainChange(whole, Object.fromEntries(heard) as Said, "with the gas of the call");
    }
  }),
  hear("policy that depends on the time", async function* (scene) {
    const mine = () => scene.stage.node.request({ method: "evm_mine" });
    yield* changes(scene, [
      ["from one block to the next", mine],
      ["within twelve blocks", () => Promise.all(Array.from({ length: 12 }, mine))],
      ["within an hour", () => scene.pass(3_600)],
      ["within a week", () => scene.pass(7 * day)],
      ["within a month", () => scene.pass(month)],
      ["within a year", () => scene.pass(12 * month)],
      ["within four years", () => scene.pass(48 * month)],
    ]);
  }),
  hear("policy that changes after claims", async function* (scene) {
    const when = `when somebody calls ${scene.entryPoint}`;
    yield* changes(scene, [
      [when, () => scene.play()],
      [when, () => scene.play({ wallet: scene.wallets.second, identity: "bob" })],
    ]);
  }),
];

async function* changes(
  scene: Scene,
  events: readonly (readonly [when: string, happen: () => Promise<unknown>])[],
): AsyncIterable<string | undefined> {
  let before = await listen(scene);
  for (const [when, happen] of events) {
    await happen();
    const after = await listen(scene);
    yield explainChange(before, after, when);
    before = after;
  }
}
