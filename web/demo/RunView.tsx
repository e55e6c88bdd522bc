import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sharedTexts } from "../shared/texts.ts";
import { nameOutcome, type Outcome } from "./claim.ts";
import { leaveFor, type Return } from "./memory.ts";
import { Travelled } from "./Travelled.tsx";
import { texts } from "./texts.tsx";
import { type ClaimName, type Run, waitsForBlock } from "./useRuns.ts";

interface RunProps {
  run: Run | undefined;
  back: Return | undefined;
  claim: ClaimName;
  /** Whether it is one of the story: that leads to the verify page by itself, and has what travelled elsewhere. */
  isStory?: boolean;
  /** Who claims, where the story says so. */
  person?: string;
  /** What to say when they are let in, where the story says so. */
  admitted?: string;
  /** The account that the contract asks for, where that is known. */
  asked?: string | undefined;
  account: string | undefined;
  /** How it should end, where one of the story does. */
  expected?: string;
  should?: ComponentChildren;
  /** The device, where the story says which. */
  wallet?: string;
  /** Who was let in before, where the same person comes again. */
  before?: WalletIdentity | undefined;
  release: () => void;
  /** Begins the story anew, where the claim should have ended differently. */
  startOver?: (() => void) | undefined;
}

/** What comes of a claim; what travelled folds out below, unless that is shown elsewhere. */
export function RunView(props: RunProps) {
  const { run, back, release, claim, isStory = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const outcome = run?.outcome;
  const isHeld = waitsForBlock(run);
  const leave = () => {
    if (run?.outcome?.kind !== "redirect") return;
    const { verifyUrl, code } = run.outcome;
    location.assign(leaveFor(verifyUrl, { claim, code, steps: run.steps }));
  };
  useEffect(() => {
    if (outcome === undefined && back === undefined && !isHeld) return;
    const here = box.current;
    // Who is needed next is asked where they are; whoever comes back starts at what has become of it.
    if (outcome?.kind === "redirect") here?.querySelector("button")?.focus();
    else if (run?.isReturn || back) here?.querySelector<HTMLElement>(".notice")?.focus();
    here?.scrollIntoView({ block: "nearest" });
    // Whoever has been there for nothing is not sent there again unasked.
    if (isStory && run?.isReturn === false) leave();
  }, [outcome, back, isHeld]);
  const waiting = run !== undefined && outcome === undefined ? run.wait : undefined;
  return (
    <>
      <div class="outcome" ref={box} role="status">
        {waiting && (
          <p class="progress">
            <span class="spinner" aria-hidden="true" />
            {texts.waits[waiting]}
          </p>
        )}
        {isHeld && (
          <button type="button" onClick={release}>
            {texts.mine}
          </button>
        )}
        {outcome && <Ending {...props} outcome={outcome} leave={leave} />}
        {run === undefined && back && !back.succeeded && <CameBack back={back} />}
      </div>
      {!isStory && run && run.steps.length > 0 && <Travelled steps={run.steps} />}
    </>
  );
}

function CameBack({ back: { error = "" } }: { back: Return }) {
  const { outcomes } = texts;
  return (
    <div class="notice" tabIndex={-1}>
      <p>
        <b>{outcomes.back}</b>
      </p>
      <p>{outcomes.backWhy[error] ?? outcomes.backOther(error)}</p>
    </div>
  );
}

/** @param props.leave Goes to the verify page. */
function Ending(props: RunProps & { outcome: Outcome; leave: () => void }) {
  const { outcome, leave, person, expected, should, wallet, before, startOver } = props;
  const { outcomes, reset } = texts;
  // Somebody else was chosen at the sign-in, which the title says already.
  const isOdd = startOver !== undefined && outcome.kind !== "unmet";
  const isExpected = nameOutcome(outcome) === expected;
  const said = useSentences(outcome, isExpected, props);
  // A refusal that the story is about is no accident, and no success either.
  const isRefusal = isExpected && (outcome.kind === "reverted" || outcome.kind === "unmet");
  const tone = startOver ? "bad" : isRefusal ? "refused" : tones[outcome.kind];
  return (
    <div class={`notice result ${tone}`} tabIndex={-1}>
      <p class="title">
        <b>{isOdd ? outcomes.unexpected : said.title}</b>
        {isRefusal && <span class="expected">{outcomes.expected}</span>}
      </p>
      {isOdd && <p>{said.title}</p>}
      {said.text && <p>{said.text}</p>}
      {outcome.kind === "admitted" && (
        <p>
          {outcomes.knows} <code>{outcome.identityHash}</code>
        </p>
      )}
      {isExpected && outcome.kind === "reverted" && before && wallet && (
        <SamePerson wallets={[before, { wallet, identityHash: outcome.identityHash }]} />
      )}
      {isExpected && should && <p>{should}</p>}
      {startOver && (
        <>
          <p>{outcomes.unexpectedCure}</p>
          <button type="button" onClick={startOver}>
            {reset}
          </button>
        </>
      )}
      {outcome.kind === "redirect" && (
        <>
          <p>{person === undefined ? outcomes.goProveOwn : outcomes.goProve(person)}</p>
          <button type="button" onClick={leave}>
            {outcome.code === "needs_reauth" ? outcomes.proveAgain : outcomes.prove}
          </button>
        </>
      )}
    </div>
  );
}

/** A wallet, and the hash by which a contract knows its person. */
export interface WalletIdentity {
  readonly wallet: string;
  readonly identityHash: string;
}

function SamePerson({ wallets }: { wallets: readonly WalletIdentity[] }) {
  return (
    <dl class="hashes">
      {wallets.map(({ wallet, identityHash }) => (
        <div key={wallet}>
          <dt>{wallet}</dt>
          <dd>
            <code>{identityHash}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const tones: Readonly<Record<Outcome["kind"], string>> = {
  admitted: "good",
  redirect: "",
  unmet: "bad",
  reverted: "bad",
  trouble: "bad",
  failed: "bad",
};

function useSentences(
  outcome: Outcome,
  isExpected: boolean,
  { admitted, asked }: RunProps,
): { title: ComponentChildren; text: ComponentChildren } {
  const { outcomes } = texts;
  const { troubles } = sharedTexts.en;
  switch (outcome.kind) {
    case "admitted":
      return { title: admitted ?? outcomes.admitted, text: "" };
    case "redirect":
      return {
        title: outcome.code === "needs_reauth" ? outcomes.tooOld : outcomes.notFound(asked),
        text: "",
      };
    case "unmet":
      return { title: isExpected ? outcomes.unmetExpected : outcomes.unmet, text: "" };
    case "reverted": {
      const { meaning } = outcome;
      const error = <code>{isExpected ? nameOutcome(outcome) : outcome.error}</code>;
      return isExpected
        ? {
            title: outcomes.revertedExpected,
            text: (
              <>
                {error}: {meaning}
              </>
            ),
          }
        : {
            title: (
              <>
                {outcomes.reverted} {error}
              </>
            ),
            text: meaning,
          };
    }
    case "trouble":
      return {
        title: outcomes.trouble,
        text: outcomes.troubles[outcome.trouble] ?? troubles[outcome.trouble],
      };
    case "failed":
      return { title: outcomes.failed(outcome.code), text: outcome.text };
  }
}
