import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** What has just been done. It takes the focus where what had it is gone. */
export function Notice({ text, isGood }: { text: string | undefined; isGood: boolean }) {
  const notice = useRef<HTMLParagraphElement>(null);
  const [said, setSaid] = useState<string>();
  // Screen readers read out a live region's changes, not what it begins with.
  useEffect(() => setSaid(text), [text]);
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
