import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** What has just been done. It takes the focus where what had it is gone. */
export function Notice({ text, isGood }: { text: string | undefined; isGood: boolean }) {
  const notice = useRef<HTMLParagraphElement>(null);
  const [late, setLate] = useState<string>();
  // Screen readers read out a live region's changes, not what it begins with.
  useEffect(() => setLate(text), [text]);
  // What is no longer true goes at once, together with what makes it so.
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
