import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Acts } from "./acts.ts";
import { nameOutcome, type Outcome } from "./claim.ts";
import { type ClaimName, type Demo, isDone, nameState, type Phase } from "./state.ts";
import { isStory, story } from "./story.ts";
import { texts } from "./texts.tsx";

interface ResultProps {
  name: ClaimName;
  phase: Phase | undefined;
  demo: Demo;
  acts: Acts | undefined;
}

/** A claim's progress, its question to the person, or its outcome. It stays, and is folded when another claim begins. */
export function Result(props: ResultProps) {
  const { name, phase, demo, acts } = props;
  const { outcomes } = texts;
  const box = useRef<HTMLDivElement>(null);
  const former = useRef(phase?.name);
  const isLatest = demo.latest === name;
  useEffect(() => {
    const here = box.current;
    const hasEnded = former.current === "claiming";
    former.current = phase?.name;
    if (phase === undefined || !isLatest || phase.name === "claiming") return;
    // The button of what is done is gone, and the focus with it.
    const isLost = hasEnded && document.activeElement === document.body;
    // Focuses the next button; after a return, the result.
    if (phase.name === "proving") here?.querySelector("button")?.focus({ preventScroll: true });
    else if (demo.isReturn || isLost)
      here?.querySelector<HTMLElement>("summary, .notice:not(details)")?.focus({ preventScroll: true });
    here?.scrollIntoView({ block: "nearest" });
  }, [phase?.name]);
  const isTooOld = phase?.name === "proving" && phase.outcome.code === "needs_reauth";
  return (
    <div class={`outcome ${name}`} ref={box} role="status">
      {phase?.name === "claiming" && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          {texts.waits[phase.wait]}
        </p>
      )}
      {phase?.name === "proving" && (
        <Note title={isTooOld ? outcomes.tooOld : outcomes.notFound}>
          <p>{isStory(name) ? outcomes.goProve(texts.people[story[name].person]) : outcomes.goProveOwn}</p>
          <button type="button" onClick={() => acts?.prove(name)}>
            {isTooOld ? outcomes.proveAgain : outcomes.prove}
          </button>
        </Note>
      )}
      {phase?.name === "cameBack" && (
        <Note title={outcomes.back}>
          <p>{outcomes.backWhy[phase.error] ?? outcomes.backOther(phase.error)}</p>
        </Note>
      )}
      {phase?.name === "ended" && <Ending {...props} outcome={phase.outcome} />}
    </div>
  );
}

function Note({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="notice result" tabIndex={-1}>
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  );
}

function Ending({ name, demo, acts, outcome }: ResultProps & { outcome: Outcome }) {
  const { outcomes, reset, tries } = texts;
  // A refusal that the story is about is no accident, and no success either.
  const isRefusal = isStory(name) && isDone(demo, name) && outcome.kind !== "admitted";
  const { title, text } = describeOutcome(outcome, name, isRefusal);
  const isWrong = isStory(name) && nameState(demo, name) === "otherwise";
  const tone = isRefusal ? "refused" : outcome.kind === "admitted" && !isWrong ? "good" : "bad";
  const { phone } = demo.claims;
  const before = phone?.name === "ended" && phone.outcome.kind === "admitted" && phone.outcome.identityHash;
  const wasKnown = isDone(demo, "phone", story.laptop.expected);
  return (
    <details class={`notice result ${tone}`} open={demo.latest === name}>
      <summary>
        <span class="title">
          <b>{title}</b>
          {isRefusal && <span class="expected">{outcomes.expected}</span>}
        </span>
      </summary>
      {text && <p>{text}</p>}
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
      {isWrong && (
        <>
          <p>{wasKnown ? outcomes.knownBefore : outcomes.unexpected}</p>
          <button type="button" onClick={acts?.startOver}>
            {reset}
          </button>
        </>
      )}
    </details>
  );
}

/** @param isRefusal Whether the story is about this very refusal. */
function describeOutcome(outcome: Outcome, name: ClaimName, isRefusal: boolean) {
  const { outcomes, tries } = texts;
  switch (outcome.kind) {
    case "admitted": {
      const text = [outcomes.knows, " ", <code>{outcome.identityHash}</code>];
      return { title: isStory(name) ? tries[name].admitted : outcomes.admitted, text };
    }
    case "redirect":
      return { title: outcomes.notFound, text: "" };
    case "elsewhere":
      return { title: outcomes.trouble, text: outcomes.elsewhere(outcome.chainId, outcome.rpcUrl) };
    case "unmet":
      if (isRefusal) return { title: outcomes.unmetExpected, text: "" };
      return { title: isStory(name) ? outcomes.unmetStory : outcomes.unmet, text: "" };
    case "reverted": {
      const { error, meaning } = outcome;
      if (!isRefusal) return { title: [outcomes.reverted, " ", <code>{error}</code>], text: meaning };
      return { title: outcomes.revertedExpected, text: [<code>{nameOutcome(outcome)}</code>, ": ", meaning] };
    }
    case "trouble":
      return { title: outcomes.trouble, text: outcomes.troubles[outcome.trouble] };
    case "failed":
      return { title: outcomes.failed(outcome.code), text: outcome.text };
  }
}
