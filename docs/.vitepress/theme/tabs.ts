const key = "tab";

/** Opens the tab that a reader has chosen, such as `viem`, in every group of tabs. Returns what to call for a new page. */
export function joinTabs(): () => void {
  addEventListener("click", ({ target, isTrusted }) => {
    const name = target instanceof HTMLInputElement && isTrusted ? nameOf(target) : undefined;
    if (name === undefined) return;
    localStorage.setItem(key, name);
    open(name);
  });
  return () => open(localStorage.getItem(key));
}

const inputs = () => [...document.querySelectorAll<HTMLInputElement>(".vp-code-group input")];

const nameOf = (input: HTMLInputElement) =>
  inputs().includes(input) ? input.labels?.[0]?.textContent?.trim() : undefined;

function open(name: string | null): void {
  for (const input of inputs()) {
    if (!input.checked && nameOf(input) === name) input.click();
  }
}
