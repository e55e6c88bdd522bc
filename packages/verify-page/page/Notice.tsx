import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** The result of the last action. It takes the focus if the focused element is gone. */
export function Notice({ text, isGood }: { text: string | undefined; isGood: boolean }) {
  const notice = useRef<HTMLParagraphElement>(null);
  const [late, setLate] = useState<string>();
  // Screen readers read out a live region's changes, not what it begins with.
  useEffect(() => setLate(text), [text]);
  // Remove an outdated text at once, in the same render as the change.
  const said = late === text ? text : undefined;
  useLayoutEffect(() => {
    if (document.activeElement === document.body) notice.current?.focus();
  }, [said]);
  return (
    <div role="status">
      {said && (
        <p class={`notice ${isGood ? "good" : ""}`} tabIndex={-1} ref={notice}>
          {said}
        </p>
      )}
    </div>
  );
}
