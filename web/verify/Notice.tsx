import { useLayoutEffect, useRef } from "preact/hooks";

/** What has just been done, above the screen. It takes the focus where what had it is gone. */
export function Notice({ text }: { text: string | undefined }) {
  const notice = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) notice.current?.focus();
  }, [text]);
  return (
    <div role="status">
      {text && (
        <p class="notice" tabIndex={-1} ref={notice}>
          {text}
        </p>
      )}
    </div>
  );
}
