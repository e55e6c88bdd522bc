/** Opens the tab that a reader has chosen, such as `viem`, in every group that has it. Returns what to call for a new page. */
export function joinTabs(): () => void {
  addEventListener("click", ({ target, isTrusted }) => {
    if (!(target instanceof HTMLInputElement && isTrusted && inputs().includes(target))) return;
    // A choice replaces only the others of the same group: pnpm replaces npm, not viem.
    for (const input of inputs()) if (input.name === target.name) storage()?.removeItem(keyOf(input));
    storage()?.setItem(keyOf(target), "chosen");
    openChosen();
  });
  return openChosen;
}

/** Nothing where the browser blocks all cookies: then the access itself throws. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const inputs = () => [...document.querySelectorAll<HTMLInputElement>(".vp-code-group input")];

const keyOf = (input: HTMLInputElement) => `tab:${input.labels?.[0]?.textContent?.trim()}`;

function openChosen(): void {
  for (const input of inputs()) {
    if (!input.checked && storage()?.getItem(keyOf(input)) === "chosen") input.click();
  }
}
