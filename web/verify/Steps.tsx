import { useTexts } from "../shared/language.tsx";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/** Where one is: the step that is being taken, among all of them. */
export function Steps({ page, current }: { page: Page; current: 1 | 2 | 3 | 4 }) {
  const { steps } = useTexts(verifyTexts);
  const shown = page.app === undefined ? steps.names.slice(0, 3) : steps.names;
  return (
    <nav aria-label={steps.label}>
      <ol class="steps">
        {shown.map((name, i) => (
          <li
            key={name}
            class={i < current ? "reached" : ""}
            aria-current={i + 1 === current ? "step" : undefined}
          >
            <span>
              {i + 1}. {name}
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
