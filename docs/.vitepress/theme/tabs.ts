/** Opens the tab that a reader has chosen, such as `viem`, in every group that has it. Returns what to call for a new page. */
export function joinTabs(): () => void {
  addEventListener("click", ({ target, isTrusted }) => {
    if (!(target instanceof HTMLInputElement && isTrusted && inputs().includes(target))) return;
    // A choice replaces only the others of the same group: pnpm replaces npm, not viem.
    for (const input of inputs()) if (input.name === target.name) localStorage.removeItem(keyOf(input));
    localStorage.setItem(keyOf(target), "chosen");
    openChosen();
  });
  return openChosen;
}

const inputs = () => [...document.querySelectorAll<HTMLInputElement>(".vp-code-group input")];

const keyOf = (input: HTMLInputElement) => `tab:${input.labels?.[0]?.textContent?.trim()}`;

function openChosen(): void {
  for (const input of inputs()) {
    if (!input.checked && localStorage.getItem(keyOf(input)) !== null) input.click();
  }
}
