import { useState } from "preact/hooks";

/** Copies a text when asked to. `isCopied` is `undefined` before, as of any other text, and false after a failure. */
export function useCopy(text: string): { readonly isCopied: boolean | undefined; copy(): Promise<void> } {
  const [last, setLast] = useState<{ readonly text: string; readonly isCopied: boolean }>();
  return {
    isCopied: last?.text === text ? last.isCopied : undefined,
    async copy() {
      try {
        await navigator.clipboard.writeText(text);
        setLast({ text, isCopied: true });
      } catch {
        // Without https, or when the browser says no.
        setLast({ text, isCopied: false });
      }
    },
  };
}
