import type { Page } from "./page.ts";

const names = ["Wallet", "Sign in", "Account", "Check", "Back to the app"];

/** Where one is: the step that is being taken, among all of them. */
export function Steps({ page, current }: { page: Page; current: 1 | 2 | 3 | 4 | 5 }) {
  const shown = page.overview.returnTo === undefined ? names.slice(0, 4) : names;
  return (
    <nav aria-label="Steps">
      <ol class="steps">
        {shown.map((name, i) => (
          <li key={name} aria-current={i + 1 === current ? "step" : undefined}>
            {i + 1}. {name}
          </li>
        ))}
      </ol>
    </nav>
  );
}
