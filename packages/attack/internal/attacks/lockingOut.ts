import { firstOf, short } from "../attack.ts";
import { accepted, onDoors } from "../doors.ts";
import type { Door } from "../functions.ts";
import type { Choice } from "../invent.ts";
import type { Ready, Scene } from "../scene.ts";

/** Finds a function by which a stranger keeps a person out. */
export const lockingOut = onDoors("locked out by a stranger", lockOut);

async function lockOut(scene: Scene, entry: Ready) {
  const { first, stranger } = scene.wallets;
  const gains = await scene.gains(entry);
  const own = { wallet: first };
  const { identityHash: word } = await scene.mint(own);
  const isLetIn = async () => scene.isAdmitted(await scene.claim(entry, own), gains);
  const locks = async (door: Door, choice: Choice) => {
    // The move that opened the function may have closed the entry point.
    if (!(await scene.branch(isLetIn))) return undefined;
    const outcome = await scene.call(door, stranger, choice);
    if (!("done" in outcome) || (await isLetIn())) return undefined;
    return scene.found(
      `Once a stranger calls ${short(door)}, ${short(entry)} refuses a person who has not been counted: let only a verification use an identity up.`,
    );
  };
  return async (door: Door) => {
    const touching = await scene.about(entry, own, scene.stage.placesOf);
    const ways = await accepted(scene, door, stranger, { addresses: [first], word, touching });
    return firstOf(ways, ({ choice }) =>
      // An allowlist gives the person's place to nobody else.
      choice.isListed ? undefined : scene.branch(() => locks(door, choice)),
    );
  };
}
