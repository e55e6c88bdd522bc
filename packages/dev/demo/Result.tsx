import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Acts } from "./acts.ts";
import { nameOutcome, type Outcome } from "./claim.ts";
import { type ClaimName, type Demo, isDone, nameState, type Phase } from "./state.ts";
import { isStory, story } from "./story.ts";
import { type DemoTexts, demoTexts } from "./texts.ts";

interface ResultProps {
  name: ClaimName;
  phase: Phase | undefined;
  demo: Demo;
  acts: Acts | undefined;
}

/** A claim's progress, its question to the person, or its outcome. It stays, and is folded when another claim begins. */
export function Result(props: ResultProps) {
  const { name, phase, demo, acts } = props;
  const texts = useTexts(demoTexts);
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
    <div class="outcomes" role="status">
      {/* The outcome comes in a place of its own: nothing that is in sight moves to it. */}
      <div class={`outcome ${name}`}>
        {phase?.name === "claiming" && (
          <p class="progress">
            <span class="spinner" aria-hidden="true" />
            {texts.waits[phase.wait]}
          </p>
        )}
      </div>
      <div class={`outcome ${name}`} ref={box}>
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
    </div>
  );
}

function Note({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="notice result" tabIndex={-1}>
      <p>
        <span class="title">
          <b>{title}</b>
        </span>
      </p>
      {children}
    </div>
  );
}

function Ending({ name, demo, acts, outcome }: ResultProps & { outcome: Outcome }) {
  const texts = useTexts(demoTexts);
  const { outcomes, reset, tries } = texts;
  // A refusal that the story is about is no accident, and no success either.
  const isRefusal = isStory(name) && isDone(demo, name) && outcome.kind !== "admitted";
  const { title, text } = describeOutcome(outcome, name, isRefusal, texts);
  const isWrong = isStory(name) && nameState(demo, name) === "otherwise";
  const ended = outcome.kind === "admitted" && !isWrong ? "good" : "bad";
  const tone = isRefusal ? "refused" : ended;
  const { phone } = demo.claims;
  const before = phone?.name === "ended" && phone.outcome.kind === "admitted" && phone.outcome.identityHash;
  const wasKnown = isDone(demo, "phone", story.laptop.expected);
  return (
    <details class={`notice result ${tone}`} open={isOpenAtFirst(demo, name, isRefusal)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button. */}
      <summary
        onClick={({ currentTarget }) => {
          const isOpened = !(currentTarget.parentElement as HTMLDetailsElement).open;
          if (isOpened && isStory(name)) acts?.view(name);
        }}
      >
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

/** The second wallet's refusal stays open, because the story is about it. Bob's is told by its title. */
function isOpenAtFirst({ latest }: Demo, name: ClaimName, isRefusal: boolean): boolean {
  if (name === "laptop" && isRefusal) return true;
  return latest === name && !(name === "bob" && isRefusal);
}

/** @param isRefusal Whether the story is about this very refusal. */
function describeOutcome(
  outcome: Outcome,
  name: ClaimName,
  isRefusal: boolean,
  { outcomes, tries }: DemoTexts,
) {
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
      if (!isRefusal)
        return {
          title: [outcomes.reverted, " ", <code>{error}</code>],
          text: <span lang="en">{meaning}</span>,
        };
      const text = [<code>{nameOutcome(outcome)}</code>, ": ", outcomes.usedBefore];
      return { title: outcomes.revertedExpected, text };
    }
    case "trouble":
      return { title: outcomes.trouble, text: outcomes.troubles[outcome.trouble] };
    case "failed":
      return { title: outcomes.failed(outcome.code), text: <span lang="en">{outcome.text}</span> };
  }
}
