// A person's count: does the contract know a person whom it has counted?
import type { Edit } from "../../calldata.ts";
import { isTakenBack, roundsOf } from "../../gains.ts";
import { type Attack, learnGiven, mustRefuse, sumUp, type Verdict } from "../../judge.ts";
import { madeUp, type Play } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import { type Done, day, month, type Outcome } from "../../stage.ts";
import { secondForm } from "../forging.ts";
import { onceMore, turnsAfter } from "./turns.ts";

/** A person who comes again, after something. */
interface Return {
  readonly name: string;
  readonly means: string;
  /** Plays after the first wallet's claim as alice. */
  readonly between?: readonly Play[];
  /** Seconds after it. */
  readonly after?: readonly number[];
  /** The second claim, and the wallet of the control. */
  readonly again: (scene: Scene, first: Awaited<ReturnType<Scene["mint"]>>) => Play | readonly Play[];
  /** Whether a round of another name may admit the person again. */
  readonly inRounds?: boolean;
}

const otherWallet = ({ wallets }: Scene): Play => ({ wallet: wallets.second });

const returns: readonly Return[] = [
  {
    name: "same wallet twice",
    // Later, it is another verification, for what remembers those instead of identities.
    after: [2],
    again: () => ({}),
    means:
      "admits the same wallet with the same identity twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "second wallet",
    // A round must not come from what a verification says, nor from the wallet.
    again: ({ wallets: { second, third, stranger } }, { expiration }) => [
      { wallet: second },
      { wallet: second, mint: { expiration: expiration + 1_800 } },
      { wallet: third },
      { wallet: stranger },
    ],
    means:
      "admits a second wallet of the same person: remember the identity hash, not the wallet. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "same verification again",
    again: (_, first) => ({ verification: first }),
    means:
      "admits the same verification twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "signature in its second form",
    again: (_, first) => ({ verification: secondForm(first) }),
    means:
      "admits a verification again whose signature is written in its second form: remember identities, not signatures.",
  },
  {
    name: "made-up verification after a true one",
    again: () => ({ verification: madeUp }),
    means: "checks a wallet's first verification only, and then admits made-up ones: verify each.",
  },
  {
    name: "same person after another",
    between: [{ identity: "bob" }],
    again: otherWallet,
    means:
      "forgets a person as soon as another one claims from the same wallet: remember each identity by itself.",
  },
  {
    name: "same person after some time",
    after: [3_600, day, 8 * day, month, 13 * month],
    again: otherWallet,
    inRounds: true,
    means:
      "forgets an identity as time passes: it counts again. Remember it for good, or give _verifyOnce a round.",
  },
];

const inAnotherRound =
  "admits one person again in another round, which follows from who calls, or from what they pass: give _verifyOnce a round that the caller does not choose.";

const comeAgain = ({ name, means, between = [], after = [0], again, inRounds = false }: Return): Attack => ({
  name,
  async *run(scene) {
    for (const seconds of after) {
      yield await scene.branch(async () => {
        const verification = await scene.mint();
        const given = await learnGiven(scene);
        const before = await scene.play({ verification });
        const began = BigInt(await scene.stage.time());
        if (!("done" in before)) return { refusal: scene.sayRefusal(before) };
        for (const play of between) {
          const outcome = await scene.play(play);
          if (!("done" in outcome)) return { refusal: scene.sayRefusal(outcome) };
        }
        if (seconds > 0) await scene.pass(seconds);
        const now = BigInt(await scene.stage.time());
        const claimed = given?.(before.done);
        const isDue = await turnsAfter(scene, before, claimed, [began, now], inRounds);
        const isMeant = (outcome: Outcome, usual: Done) =>
          isDue(outcome) || (claimed !== undefined && isTakenBack(claimed, outcome, usual));
        const verdicts: Verdict[] = [];
        for (const attack of [again(scene, verification)].flat()) {
          const control = { wallet: attack.wallet, identity: "carol" };
          const say = (outcome: Outcome) =>
            roundsOf(outcome) === roundsOf(before) || roundsOf(before) === "" ? means : inAnotherRound;
          // Of a few proposals, the next one is another vote.
          const isElsewhere = (outcome: Outcome, edit: Edit) =>
            !edit.isMade &&
            typeof edit.value === "bigint" &&
            (roundsOf(before) === "" || roundsOf(outcome) !== roundsOf(before));
          verdicts.push(await mustRefuse(scene, { attack, control, means: say, isMeant, isElsewhere }));
          if (inRounds) verdicts.push(...(await onceMore(scene, attack, isDue)));
        }
        return sumUp(verdicts) ?? "held";
      });
    }
  },
});

export const counts: readonly Attack[] = returns.map(comeAgain);
