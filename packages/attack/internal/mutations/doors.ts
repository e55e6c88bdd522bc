// The contract's other functions: they may give away, undo, or keep something from people.
import type { Door } from "../functions.ts";
import type { Attack } from "../judge.ts";
import { type Attempt, atEachDoor } from "../openings.ts";
import type { Scene } from "../scene.ts";
import { month } from "../stage.ts";
import { afterwards } from "./doors/afterwards.ts";
import { drain } from "./doors/draining.ts";
import { free, lockOut, lockOutLater, rob, wipe } from "./doors/freeing.ts";
import { give, giveLater, passOn, take } from "./doors/giving.ts";
import { again } from "./doors/paying.ts";
import { rule } from "./doors/ruling.ts";

/** The plans that ask what a stranger can do: also at other contracts, and after other calls of theirs. */
const byStranger: readonly unknown[] = [give, giveLater, take, lockOut, lockOutLater, rob];

/** Makes an attack of plans, each of which prepares a state and answers what to try in it. */
const onDoors = (
  name: string,
  ...plans: readonly ((scene: Scene) => Promise<Attempt | undefined>)[]
): Attack => ({
  name,
  async *run(scene) {
    const shown = new Set<Door>();
    for (const plan of plans) yield* atEachDoor(scene, () => plan(scene), shown, byStranger.includes(plan));
  },
});

export const doors: readonly Attack[] = [
  onDoors("door beside the guarded one", give, giveLater, passOn, afterwards, again, take),
  onDoors("identity freed by another function", free(0), free(month)),
  onDoors("policy or registry that changes", rule),
  onDoors("locked out by a stranger", lockOut, lockOutLater, rob, wipe),
  onDoors("paid twice by calling back", drain),
];
