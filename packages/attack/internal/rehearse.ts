import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { computeAddress } from "ethers";
import type { Finding } from "hardhat-identity/internal/testing/attack";
import { accountOf } from "../wallets.ts";
import { deployRegistry } from "./deploy.ts";
import { readWords } from "./invented.ts";
import { type Attack, sumUp, type Verdict } from "./judge.ts";
import { costs } from "./mutations/costs.ts";
import { counting } from "./mutations/counting.ts";
import { doors } from "./mutations/doors.ts";
import { forging } from "./mutations/forging.ts";
import { gaining } from "./mutations/gaining.ts";
import { lending } from "./mutations/lending.ts";
import { policy } from "./mutations/policy.ts";
import { upgrading } from "./mutations/upgrading.ts";
import { closedDoors } from "./openings.ts";
import { rogueKey } from "./play.ts";
import type { Scene } from "./scene.ts";
import { day } from "./stage.ts";

/** The results of all attacks on one claim. */
export interface Rehearsal {
  /** The function that claims. */
  readonly entryPoint: string;
  readonly findings: readonly Finding[];
  readonly tried: readonly Tried[];
  /** The contract's other functions that refused everything, so that no attack has called them. */
  readonly closed?: readonly string[];
}

/** An attack that was played. */
export interface Tried {
  readonly attack: string;
  readonly result: "found" | "held" | "not tried";
  /** The refusal of a person who must be let in, if it was not tried. */
  readonly refusal?: string;
}

/**
 * The attacks in order. Where one of a group shows a fault, the rest of the group would show the same again, but for the
 * first `all`. Some are about the contract, whichever of its functions claims.
 */
const groups: readonly {
  readonly attacks: readonly Attack[];
  readonly all?: number;
  readonly isWhole?: true;
}[] = [
  { attacks: forging },
  { attacks: counting, all: 2 },
  { attacks: gaining, all: gaining.length },
  { attacks: [lending] },
  { attacks: costs },
  { attacks: policy, isWhole: true },
  { attacks: doors, all: doors.length },
  { attacks: upgrading, all: upgrading.length, isWhole: true },
];

/** The names of all attacks, in order. */
export const attackNames: readonly string[] = groups
  .flatMap(({ attacks }) => attacks)
  .map(({ name }) => name);

/** Options of a rehearsal. */
export interface RehearsalOptions {
  /** Names of the attacks to play; all by default. */
  readonly attacks?: readonly string[] | undefined;
  /** Whether another claim at the contract was attacked already. */
  readonly isNext?: boolean | undefined;
  /** Called before each attack with its name, its number, and the total. */
  readonly onAttack?: ((attack: string, number: number, total: number) => void) | undefined;
}

/**
 * Records a claim and plays every attack on it, each from the same state.
 *
 * @throws InvalidInputError if the claim is refused for a verified person.
 */
export async function rehearse(scene: Scene, options: RehearsalOptions): Promise<Rehearsal> {
  const { attacks: wanted, isNext = false, onAttack = () => {} } = options;
  const { stage, wallets } = scene;
  // A round that lasts a day must not end meanwhile.
  const left = day - ((await stage.time()) % day);
  if (left < 600) await stage.pass(left);
  scene.rogueRegistry = await deployRegistry(
    stage,
    accountOf("owner of a rogue registry"),
    computeAddress(rogueKey),
  );
  scene.words = await readWords(stage, scene.target);
  if (scene.sender !== undefined) await scene.open(scene.sender);
  for (const wallet of Object.values(wallets)) await scene.prepare(wallet);
  const recorded = await scene.record();
  if ("revert" in recorded) {
    // The policy may be what refuses everybody.
    const rehearsal = await rehearsePolicy(scene);
    if (rehearsal.findings.length > 0) return rehearsal;
    throw new InvalidInputError(
      `The claim is refused for a verified person, so nothing could be tried: ${scene.sayRefusal(recorded)}.`,
    );
  }
  const control = await scene.gains({});
  if ("refusal" in control) throw new InvalidInputError(`The claim cannot be attacked: ${control.refusal}.`);

  const names = attackNames.filter((name) => wanted?.includes(name) !== false);
  const findings: Finding[] = [];
  const tried: Tried[] = [];
  for (const { attacks, all = 0, isWhole } of groups) {
    if (isNext && isWhole) continue;
    let isShown = false;
    for (const [i, attack] of attacks.entries()) {
      if (!names.includes(attack.name) || (isShown && i >= all)) continue;
      onAttack(attack.name, names.indexOf(attack.name) + 1, names.length);
      const verdict = await play(scene, attack, findings);
      if (verdict === undefined) continue;
      if (verdict === "held") tried.push({ attack: attack.name, result: "held" });
      else if ("refusal" in verdict)
        tried.push({ attack: attack.name, result: "not tried", refusal: verdict.refusal });
      else {
        isShown = true;
        tried.push({ attack: attack.name, result: "found" });
      }
    }
    // A claim that admits anything needs no other attack.
    if (isShown && attacks === forging) break;
  }
  const closed = [...(await closedDoors(scene))].map(({ name }) => name);
  return { entryPoint: scene.entryPoint, findings, tried, closed };
}

/** Plays the attacks on the policy, for a contract that refuses everybody. */
export async function rehearsePolicy(scene: Scene): Promise<Rehearsal> {
  const findings: Finding[] = [];
  for (const attack of policy) await play(scene, attack, findings);
  const [first] = findings;
  const tried = first === undefined ? [] : [{ attack: first.attack, result: "found" as const }];
  return { entryPoint: "conditions()", findings: findings.slice(0, 1), tried };
}

/** Plays an attack until it shows something at each function. */
async function play(scene: Scene, attack: Attack, findings: Finding[]): Promise<Verdict | undefined> {
  const verdicts: Verdict[] = [];
  await scene.branch(async () => {
    for await (const verdict of attack.run(scene)) {
      verdicts.push(verdict);
      if (typeof verdict === "string" || "refusal" in verdict) continue;
      const { entryPoint = scene.entryPoint, ...found } = verdict.found;
      findings.push({ attack: attack.name, entryPoint, ...found });
      if (verdict.found.entryPoint === undefined) break;
    }
  });
  return sumUp(verdicts);
}
