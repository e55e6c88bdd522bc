// Do the policy and the cutoff stay what they are?
import type { ContractAttack } from "../attack.ts";
import type { Found, Scene } from "../scene.ts";
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

export const policy: readonly ContractAttack[] = [
  {
    name: "policy that depends on the caller",
    async run(scene) {
      const { registry, owner } = scene.target;
      const { first, stranger } = scene.wallets;
      const callers = [stranger, first, registry, ...(owner === undefined ? [] : [owner])];
      const said = await Promise.all(callers.map((from) => listen(scene, { from })));
      const [one] = said;
      for (const another of said) {
        if (one === undefined) continue;
        // Compare in both directions, because either cutoff may be the lower one.
        const when = "with who asks";
        const message = explainChange(one, another, when) ?? explainChange(another, one, when);
        if (message !== undefined) return [scene.found(message, "conditions()")];
      }
      return [];
    },
  },
  {
    name: "policy that depends on the gas",
    async run(scene) {
      const whole = await listen(scene);
      for (const gas of [60_000n, 100_000n, 200_000n, 400_000n, 1_000_000n, 3_000_000n, 12_000_000n]) {
        const said = await listen(scene, { gas });
        // Too little gas for an answer is no other answer.
        const answered = Object.fromEntries(
          Object.entries(said).map(([getter, answer]) => [getter, answer ?? whole[getter as keyof Said]]),
        );
        const message = explainChange(whole, { ...whole, ...answered }, "with the gas of the call");
        if (message !== undefined) return [scene.found(message, "conditions()")];
      }
      return [];
    },
  },
  {
    name: "policy that depends on the time",
    async run(scene) {
      const { node } = scene.stage;
      const mine = () => node.request({ method: "evm_mine" });
      return firstChange(scene, [
        ["from one block to the next", mine],
        ["within twelve blocks", async () => void (await Promise.all(Array.from({ length: 12 }, mine)))],
        ["within an hour", () => scene.stage.pass(3_600)],
        ["within a week", () => scene.stage.pass(7 * day)],
        ["within a month", () => scene.stage.pass(month)],
        ["within a year", () => scene.stage.pass(12 * month)],
        ["within four years", () => scene.stage.pass(48 * month)],
      ]);
    },
  },
  {
    name: "policy that changes after claims",
    async run(scene) {
      const { second } = scene.wallets;
      for (const entry of scene.entryPoints) {
        const seen = await scene.fresh(() =>
          firstChange(scene, [
            [`when somebody calls ${entry.name}`, () => scene.claim(entry)],
            [
              `when somebody calls ${entry.name}`,
              () => scene.claim(entry, { wallet: second, identity: "bob" }),
            ],
          ]),
        );
        if (seen.length > 0) return seen;
      }
      return [];
    },
  },
];

async function firstChange(
  scene: Scene,
  events: readonly (readonly [when: string, happen: () => Promise<unknown>])[],
): Promise<Found[]> {
  let before = await listen(scene);
  for (const [when, happen] of events) {
    await happen();
    const after = await listen(scene);
    const message = explainChange(before, after, when);
    if (message !== undefined)
      return [scene.found(message, message.includes("cutoff") ? "cutoffBlock()" : "conditions()")];
    before = after;
  }
  return [];
}
