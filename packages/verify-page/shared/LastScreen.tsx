import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Heading } from "./Heading.tsx";
import { useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";

/**
 * Replaces a component that fails while it is rendered, with a message and a link.
 *
 * @param props.wayOut Where to go besides the same page, if that is known.
 */
export function LastScreen({ wayOut, children }: { wayOut: ComponentChildren; children: ComponentChildren }) {
  const { last } = useTexts(sharedTexts);
  const [error] = useErrorBoundary((thrown) => console.error(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <Heading>{last.title}</Heading>
      <p>{last.what}</p>
      <p class="quiet-text">
        {last.report}{" "}
        <code lang="en" translate={false}>
          {String(error)}
        </code>
      </p>
      <div class="actions">
        <button type="button" onClick={() => location.reload()}>
          {last.reload}
        </button>
        {wayOut}
      </div>
    </>
  );
}
