import { useEffect, useRef } from "preact/hooks";

/**
 * A screen's heading. It gets the focus when the screen comes up, so that a screen reader starts there.
 *
 * @param props.of What the page is a part of, for the browser's tab.
 */
export function Heading(props: { children: string; focus?: boolean; of?: string }) {
  const { children, focus = true, of } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = of === undefined ? children : `${children} · ${of}`;
    if (focus) heading.current?.focus();
  }, [children, focus, of]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
