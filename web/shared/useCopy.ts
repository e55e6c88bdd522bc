import { useState } from "preact/hooks";

/** Copies a text when asked to. `isCopied` is `undefined` before, and false after a failure. */
export function useCopy(text: string): { readonly isCopied: boolean | undefined; copy(): Promise<void> } {
  const [isCopied, setCopied] = useState<boolean>();
  return {
    isCopied,
    async copy() {
      try {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      } catch {
        // Without https, or when the browser says no.
        setCopied(false);
      }
    },
  };
}
