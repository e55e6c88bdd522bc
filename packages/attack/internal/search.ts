// The one search for arguments that a function takes.
import type { Choice } from "./invent.ts";
import type { Call, Done, Stage } from "./stage.ts";

/** Arguments that a function takes now, and what it then does. */
export interface Taken {
  readonly choice: Choice;
  readonly done: Done;
}

/**
 * Simulates a function with one choice of arguments after the other, and yields those that it takes.
 *
 * @param onRefusal Gets the revert data of each refusal.
 */
export async function* tryChoices(
  stage: Stage,
  choices: Iterable<Choice>,
  compose: (choice: Choice) => Call,
  onRefusal: (revert: string) => void = () => {},
): AsyncGenerator<Taken, void> {
  const tried = new Set<string>();
  for (const choice of choices) {
    const call = compose(choice);
    const key = `${call.data} ${call.value}`;
    if (tried.has(key)) continue;
    tried.add(key);
    const outcome = await stage.simulate(call);
    if ("done" in outcome) yield { choice, done: outcome.done };
    else onRefusal(outcome.revert);
  }
}
