import { CopyBlock } from "./CopyBlock.tsx";
import type { Step } from "./claim.ts";
import { findDocumentation, readSnippet } from "./snippets.ts";
import { texts } from "./texts.tsx";

/** The steps of a claim. What travelled in each, and the client call that does it, folds out beside it. */
export function Travelled({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="log" aria-label={texts.travelled}>
      {steps.map((step, i) => {
        const { title, text } = describeStep(step);
        return (
          <li key={`${i} ${step.kind}`}>
            <details>
              <summary>{title}</summary>
              <p>{text}</p>
              {step.pieces.map((piece, at) => (
                <CopyBlock key={`${at} ${piece.kind}`} title={texts.pieces[piece.kind]} text={piece.text} />
              ))}
              <CopyBlock title={texts.pieces.code} text={readSnippet(step.kind)} />
              <p>
                <a href={findDocumentation(step.kind)} target="_blank" rel="noreferrer">
                  {texts.documentation}
                </a>
              </p>
            </details>
          </li>
        );
      })}
    </ol>
  );
}

function describeStep(step: Step): { title: string; text: string } {
  const { steps } = texts;
  const write = new Intl.NumberFormat("en").format;
  switch (step.kind) {
    case "refusal":
      return { title: steps.refusal.title(String(step.status)), text: steps.refusal.text };
    case "call":
      return { title: steps.call.title(step.calls ?? 1), text: steps.call.text };
    case "receipt":
      return {
        title: steps.receipt.title,
        text: steps.receipt.text(write(step.block ?? 0), write(step.gasUsed ?? 0n)),
      };
    default:
      return steps[step.kind];
  }
}
