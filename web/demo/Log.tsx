import { useState } from "preact/hooks";
import { CopyBlock } from "./CopyBlock.tsx";
import type { Step } from "./claim.ts";
import { findDocumentation, readSnippet } from "./snippets.ts";
import { texts } from "./texts.tsx";

/** The steps of a claim on the left; on the right what travelled in one of them, and the client call that does it. */
export function Log({ steps }: { steps: readonly Step[] }) {
  const [chosen, choose] = useState<number>();
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1);
  const step = steps[at];
  if (step === undefined) return null;
  const { title, text } = describeStep(step);
  return (
    <div class="log">
      <ol aria-label={texts.travelled}>
        {steps.map((each, i) => (
          <li key={`${i} ${each.kind}`}>
            <button
              type="button"
              class="step"
              aria-current={i === at ? "step" : undefined}
              onClick={() => choose(i)}
            >
              <span>{describeStep(each).title}</span>
              {each.status && (
                <span class={`status ${each.status < 300 ? "good" : "bad"}`}>{each.status}</span>
              )}
              <span class="quiet-text">{texts.milliseconds(each.ms ?? 0)}</span>
            </button>
          </li>
        ))}
      </ol>
      <section class="payload" aria-label={title}>
        <p>
          {text}{" "}
          <a href={findDocumentation(step.kind)} target="_blank" rel="noreferrer">
            {texts.documentation}
          </a>
        </p>
        {step.pieces.map((piece, i) => (
          <CopyBlock
            key={`${at} ${i} ${piece.kind}`}
            title={texts.pieces[piece.kind]}
            text={piece.text}
            isCode={piece.kind !== "message"}
          />
        ))}
        <CopyBlock key={`${at} code`} title={texts.pieces.code} text={readSnippet(step.kind)} isCode />
      </section>
    </div>
  );
}

function describeStep(step: Step): { title: string; text: string } {
  const { steps } = texts;
  const write = new Intl.NumberFormat("en").format;
  switch (step.kind) {
    case "call":
      return { title: steps.call.title(step.calls ?? 1), text: steps.call.text };
    case "receipt": {
      const text = steps.receipt.text(write(step.block ?? 0), write(step.gasUsed ?? 0));
      return { title: steps.receipt.title, text };
    }
    default:
      return steps[step.kind];
  }
}
