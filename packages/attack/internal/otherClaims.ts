// The contract's other functions that take a verification.
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { type EntryPoint, encode, short } from "./functions.ts";
import { effectOf } from "./gains.ts";
import { type Choice, choices, invent } from "./invent.ts";
import type { Scene } from "./scene.ts";
import type { Call } from "./stage.ts";

/**
 * Composes a claim by each of them, with arguments that it took when it was first asked.
 *
 * @param isAfterwards Asks again, in a state that may have opened more of them.
 */
export async function otherClaims(
  scene: Scene,
  wallet: string,
  identity = "carol",
  verification?: SignedVerification,
  isAfterwards = false,
): Promise<(readonly [name: string, call: Call])[]> {
  const found: (readonly [string, Call])[] = [];
  const shown = verification ?? (await scene.mint({ wallet, identity }));
  const { entry: own, given } = scene.recorded;
  const chosen = (!isAfterwards && known.get(scene)) || new Map<EntryPoint, Choice | undefined>();
  if (!isAfterwards) known.set(scene, chosen);
  for (const entry of scene.entryPoints) {
    if (entry.fragment.selector === own?.selector) continue;
    const callWith = (choice: Choice): Call => ({
      from: scene.sender ?? wallet,
      to: scene.target.address,
      data: encode(entry, invent(entry, { given, ...choice, caller: wallet }, shown)),
      value: entry.payable ? choice.value : 0n,
    });
    if (!chosen.has(entry)) chosen.set(entry, await findChoice(scene, entry, callWith));
    const choice = chosen.get(entry);
    if (choice !== undefined) found.push([short(entry), callWith(choice)]);
  }
  return found;
}

const known = new WeakMap<Scene, Map<EntryPoint, Choice | undefined>>();

async function findChoice(
  scene: Scene,
  entry: EntryPoint,
  callWith: (choice: Choice) => Call,
): Promise<Choice | undefined> {
  for (const choice of choices(entry)) {
    const outcome = await scene.stage.simulate(callWith(choice));
    if (effectOf(outcome).size > 0) return choice;
  }
  return undefined;
}
