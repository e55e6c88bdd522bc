import { useLayoutEffect, useRef } from "preact/hooks";
import { useLanguage } from "./language.tsx";

/**
 * A screen's heading. It gets the focus when the screen comes up, so that a screen reader starts there.
 *
 * @param props.of The site's name, for the browser's tab.
 */
export function Heading(props: { children: string; focus?: boolean; of?: string }) {
  const { children, focus = true, of } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const { language } = useLanguage();
  const read = useRef(language);
  // Before the screen can be seen: a person who moves the focus at once keeps it.
  useLayoutEffect(() => {
    document.title = of === undefined ? children : `${children} · ${of}`;
    // A change of language must not move the focus.
    if (focus && read.current === language) heading.current?.focus();
    read.current = language;
  }, [children, focus, of]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
