import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/** The steps of an app's way here and back, and the one that is being taken. */
export function Steps({ current }: { current: 1 | 2 | 3 | 4 }) {
  const { steps } = useTexts(verifyTexts);
  return (
    <nav aria-label={steps.label}>
      <ol class="steps">
        {steps.names.map((name, i) => (
          <li
            key={name}
            class={i < current ? "reached" : ""}
            aria-current={i + 1 === current ? "step" : undefined}
          >
            <span>
              <span class="number">{i + 1}. </span>
              {name}
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
