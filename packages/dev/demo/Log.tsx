import { project } from "@hardhat-identity/verify-page/content/project";
import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { useState } from "preact/hooks";
import { CopyBlock } from "./CopyBlock.tsx";
import type { Step } from "./claim.ts";
import { demoTexts } from "./texts.ts";

/** The steps of a claim on the left; on the right what travelled in one of them. */
export function Log({ steps }: { steps: readonly Step[] }) {
  const texts = useTexts(demoTexts);
  const [chosen, choose] = useState<number>();
  const last = steps.length - 1;
  // Show the verification after a success, and the last step otherwise.
  const telling = steps.findIndex(({ kind }) => steps[last]?.kind === "receipt" && kind === "verification");
  const at = Math.min(chosen ?? (telling < 0 ? last : telling), last);
  const step = steps[at];
  if (step === undefined) return null;
  const [title, text] = texts.steps[step.kind](step);
  return (
    <div class="log">
      <div>
        <ol aria-label={texts.travelled}>
          {steps.map((each, i) => (
            <li key={`${i} ${each.kind}`}>
              <button
                type="button"
                class="step"
                aria-current={i === at ? "step" : undefined}
                onClick={() => choose(i)}
              >
                <span>{texts.steps[each.kind](each)[0]}</span>
                {each.status && (
                  <span class={`status ${each.status < 300 ? "good" : "bad"}`}>{each.status}</span>
                )}
                <span class="quiet-text">{texts.milliseconds(each.ms ?? 0)}</span>
              </button>
            </li>
          ))}
        </ol>
        <a href={`${project.docs}client.md#a-claim`} target="_blank" rel="noreferrer">
          {texts.inTypeScript}
        </a>
      </div>
      <section class="payload" aria-label={title}>
        <p>{text}</p>
        {step.pieces.map(({ kind, text }, i) => (
          <CopyBlock
            key={`${at} ${i} ${kind}`}
            title={texts.pieces[kind]}
            text={text}
            isCode={kind !== "message"}
          />
        ))}
      </section>
    </div>
  );
}
