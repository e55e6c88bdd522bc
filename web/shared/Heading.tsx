import { useEffect, useRef } from "preact/hooks";

/** A screen's heading. It gets the focus when the screen comes up, so that a screen reader starts there. */
export function Heading({ children, focus = true }: { children: string; focus?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = children;
    if (focus) heading.current?.focus();
  }, [children, focus]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
