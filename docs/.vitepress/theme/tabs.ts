/**
 * Opens the tab that a reader has chosen, such as `viem`, in every group of tabs with the same labels. Returns what to call
 * for a new page.
 */
export function joinTabs(): () => void {
  addEventListener("click", ({ target, isTrusted }) => {
    const name = target instanceof HTMLInputElement && isTrusted ? nameOf(target) : undefined;
    if (name === undefined) return;
    localStorage.setItem(keyOf(target as HTMLInputElement), name);
    openChosen();
  });
  return openChosen;
}

const inputs = () => [...document.querySelectorAll<HTMLInputElement>(".vp-code-group input")];

const nameOf = (input: HTMLInputElement) =>
  inputs().includes(input) ? input.labels?.[0]?.textContent?.trim() : undefined;

/** Of all groups with these labels: whoever chooses pnpm has not left viem. */
const keyOf = (input: HTMLInputElement) =>
  `tabs:${inputs()
    .filter(({ name }) => name === input.name)
    .map(nameOf)}`;

function openChosen(): void {
  for (const input of inputs()) {
    if (!input.checked && nameOf(input) === localStorage.getItem(keyOf(input))) input.click();
  }
}
