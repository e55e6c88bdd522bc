import { useLayoutEffect, useRef } from "preact/hooks";

/** What has just been done, above the screen. It takes the focus where what had it is gone. */
export function Notice({ text, isGood }: { text: string | undefined; isGood: boolean }) {
  const notice = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) notice.current?.focus();
  }, [text]);
  return (
    <div role="status">
      {text && (
        <p class={`notice ${isGood ? "good" : ""}`} tabIndex={-1} ref={notice}>
          {text}
        </p>
      )}
    </div>
  );
}
