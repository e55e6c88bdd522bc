// The contract's other functions that take a verification.
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { type Effect, overlap } from "./effect.ts";
import { type EntryPoint, encode, short } from "./functions.ts";
import { type Choice, choices, invent } from "./invent.ts";
import type { Scene } from "./scene.ts";
import { type Taken, tryChoices } from "./search.ts";
import type { Call } from "./stage.ts";

/** The contract's functions that take a verification, but for the one that claims. */
export const otherEntryPoints = ({ entryPoints, recorded: { entry } }: Scene): EntryPoint[] =>
  entryPoints.filter(({ fragment }) => fragment.selector !== entry?.selector);

/**
 * Composes a claim by each of them, with arguments that it took when it was first asked.
 *
 * @param by.verification The one to claim with; by default, a new one of the identity.
 * @param by.isAfterwards Asks again, in a state that may have opened more of them.
 */
export async function otherClaims(
  scene: Scene,
  wallet: string,
  by: {
    readonly identity?: string;
    readonly verification?: SignedVerification | undefined;
    readonly isAfterwards?: boolean;
  } = {},
): Promise<(readonly [name: string, call: Call])[]> {
  const { identity = "carol", verification, isAfterwards = false } = by;
  const found: (readonly [string, Call])[] = [];
  const shown = verification ?? (await scene.mint({ wallet, identity }));
  const chosen = (!isAfterwards && known.get(scene)) || new Map<EntryPoint, Choice | undefined>();
  if (!isAfterwards) known.set(scene, chosen);
  const usual = await scene.ownGains({ wallet, identity: "carol" });
  const wanted = "gains" in usual ? usual.gains : new Set<string>();
  for (const entry of otherEntryPoints(scene)) {
    const compose = (choice: Choice) =>
      composeClaim(scene, entry, scene.sender ?? wallet, { ...choice, addresses: [wallet] }, shown);
    if (!chosen.has(entry)) chosen.set(entry, await findChoice(scene, entry, { compose, wanted }));
    const choice = chosen.get(entry);
    if (choice !== undefined) found.push([short(entry), compose(choice)]);
  }
  return found;
}

const known = new WeakMap<Scene, Map<EntryPoint, Choice | undefined>>();

function composeClaim(
  scene: Scene,
  entry: EntryPoint,
  from: string,
  choice: Choice,
  verification: SignedVerification,
): Call {
  const { given } = scene.recorded;
  return {
    from,
    to: scene.target.address,
    data: encode(entry, invent(entry, { given, ...choice, caller: from }, verification)),
    value: entry.payable ? choice.value : 0n,
  };
}

/** Finds arguments that a function takes: those that change most of what the claim changes. */
async function findChoice(
  scene: Scene,
  entry: EntryPoint,
  { compose, wanted }: { readonly compose: (choice: Choice) => Call; readonly wanted: Effect },
): Promise<Choice | undefined> {
  let best: { readonly choice: Choice; readonly worth: number } | undefined;
  const all = choices(entry, scene.recorded.amounts);
  for await (const { choice, done } of tryChoices(scene.stage, all, compose)) {
    if (done.effect.size === 0) continue;
    const worth = wanted.size === 0 ? 1 : overlap(wanted, done.effect);
    if (best === undefined || worth > best.worth) best = { choice, worth };
    if (worth === 1) break;
  }
  return best?.choice;
}

/** Finds what somebody else than the verified wallet can do with its verification at one of them. */
export async function waysOfOthers(
  scene: Scene,
  entry: EntryPoint,
  from: string,
  verification: SignedVerification,
): Promise<readonly (Taken & { readonly call: Call })[]> {
  const { signature } = await scene.mint({ wallet: from, identity: "nobody" });
  const compose = (choice: Choice) => composeClaim(scene, entry, from, choice, verification);
  const invented = choices(entry, scene.recorded.amounts);
  // A signature that nobody checks may be any.
  const all = ["0x", signature].flatMap((bytes) =>
    [scene.recorded.given, {}].flatMap((given) =>
      invented.map((choice): Choice => ({ ...choice, addresses: [scene.wallets.first], bytes, given })),
    ),
  );
  const ways: (Taken & { readonly call: Call })[] = [];
  for await (const taken of tryChoices(scene.stage, all, compose)) {
    if (taken.done.effect.size > 0) ways.push({ ...taken, call: compose(taken.choice) });
  }
  return ways;
}
