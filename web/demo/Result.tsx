import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sharedTexts } from "../shared/texts.ts";
import type { Acts } from "./acts.ts";
import { nameOutcome, type Outcome } from "./claim.ts";
import { readIdentityHash } from "./Stage.tsx";
import { type ClaimName, type Demo, type Phase, waitsForBlock } from "./state.ts";
import { isStory, story } from "./story.ts";
import { texts } from "./texts.tsx";

interface ResultProps {
  name: ClaimName;
  phase: Phase | undefined;
  demo: Demo;
  acts: Acts | undefined;
  /** Begins the story anew, where the claim should have ended differently. */
  startOver?: (() => void) | undefined;
}

/** What a claim waits for, what it asks of the person, or what came of it. It stays, and is folded when another begins. */
export function Result(props: ResultProps) {
  const { name, phase, demo, acts } = props;
  const box = useRef<HTMLDivElement>(null);
  const isHeld = waitsForBlock(phase);
  const isLatest = demo.latest === name;
  useEffect(() => {
    if (phase === undefined || !isLatest || (phase.name === "claiming" && !isHeld)) return;
    const here = box.current;
    // Who is needed next is asked where they are; whoever comes back starts at what has become of it.
    if (phase.name === "proving") here?.querySelector("button")?.focus({ preventScroll: true });
    else if (demo.isReturn) here?.querySelector<HTMLElement>(".notice")?.focus({ preventScroll: true });
    here?.scrollIntoView({ block: "nearest" });
  }, [phase?.name, isHeld]);
  return (
    <div class={`outcome ${name}`} ref={box} role="status">
      {phase?.name === "claiming" && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          {texts.waits[phase.wait]}
        </p>
      )}
      {isHeld && (
        <button type="button" onClick={acts?.release}>
          {texts.mine}
        </button>
      )}
      {phase?.name === "proving" && <Proving {...props} phase={phase} />}
      {phase?.name === "cameBack" && <CameBack error={phase.error} />}
      {phase?.name === "ended" && <Ending {...props} outcome={phase.outcome} />}
    </div>
  );
}

function Proving({ name, phase, acts }: ResultProps & { phase: Extract<Phase, { name: "proving" }> }) {
  const { outcomes } = texts;
  const isTooOld = phase.outcome.code === "needs_reauth";
  return (
    <div class="notice result" tabIndex={-1}>
      <p>
        <b>{isTooOld ? outcomes.tooOld : outcomes.notFound}</b>
      </p>
      <p>{isStory(name) ? outcomes.goProve(texts.people[story[name].person]) : outcomes.goProveOwn}</p>
      <button type="button" onClick={() => acts?.prove(name)}>
        {isTooOld ? outcomes.proveAgain : outcomes.prove}
      </button>
    </div>
  );
}

function CameBack({ error }: { error: string }) {
  const { outcomes } = texts;
  return (
    <div class="notice result" tabIndex={-1}>
      <p>
        <b>{outcomes.back}</b>
      </p>
      <p>{outcomes.backWhy[error] ?? outcomes.backOther(error)}</p>
    </div>
  );
}

function Ending({ name, demo, outcome, startOver }: ResultProps & { outcome: Outcome }) {
  const { outcomes, reset, tries } = texts;
  const isExpected = isStory(name) && nameOutcome(outcome) === story[name].expected;
  // A refusal that the story is about is no accident, and no success either.
  const isRefusal = isExpected && outcome.kind !== "admitted";
  const { title, text } = describe(outcome, name, isRefusal);
  const tone = startOver ? "bad" : isRefusal ? "refused" : outcome.kind === "admitted" ? "good" : "bad";
  const before = readIdentityHash(demo);
  return (
    <details class={`notice result ${tone}`} open={demo.latest === name} tabIndex={-1}>
      <summary class="title">
        <b>{title}</b> {isRefusal && <span class="expected">{outcomes.expected}</span>}
      </summary>
      {startOver && outcome.kind !== "unmet" && <p>{outcomes.unexpected}</p>}
      {text && <p>{text}</p>}
      {outcome.kind === "admitted" && (
        <p>
          {outcomes.knows} <code>{outcome.identityHash}</code>
        </p>
      )}
      {isRefusal && outcome.kind === "reverted" && before && (
        <dl class="hashes">
          <dt>{texts.devices.phone}</dt>
          <dd>
            <code>{before}</code>
          </dd>
          <dt>{texts.devices.laptop}</dt>
          <dd>
            <code>{outcome.identityHash}</code>
          </dd>
        </dl>
      )}
      {isRefusal && isStory(name) && <p>{tries[name].should}</p>}
      {startOver && (
        <>
          <p>{outcomes.unexpectedCure}</p>
          <button type="button" onClick={startOver}>
            {reset}
          </button>
        </>
      )}
    </details>
  );
}

/** @param isRefusal Whether the story is about this very refusal. */
function describe(
  outcome: Outcome,
  name: ClaimName,
  isRefusal: boolean,
): { title: ComponentChildren; text: ComponentChildren } {
  const { outcomes, tries } = texts;
  switch (outcome.kind) {
    case "admitted":
      return { title: isStory(name) ? tries[name].admitted : outcomes.admitted, text: "" };
    case "redirect":
      return { title: outcomes.notFound, text: "" };
    case "unmet":
      return { title: isRefusal ? outcomes.unmetExpected : outcomes.unmet, text: "" };
    case "reverted": {
      const error = <code>{isRefusal ? nameOutcome(outcome) : outcome.error}</code>;
      const { meaning } = outcome;
      if (isRefusal) return { title: outcomes.revertedExpected, text: <>{[error, ": ", meaning]}</> };
      return { title: <>{[outcomes.reverted, " ", error]}</>, text: meaning };
    }
    case "trouble": {
      const { troubles } = sharedTexts.en;
      const text = outcomes.troubles[outcome.trouble] ?? troubles[outcome.trouble];
      return { title: outcomes.trouble, text };
    }
    case "failed":
      return { title: outcomes.failed(outcome.code), text: outcome.text };
  }
}
