import type { ComponentChildren } from "preact";
import { Heading } from "../shared/Heading.tsx";
import { Notice } from "./Notice.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";

/**
 * The top of a screen: its step on an app's way, its heading, and what has just been done.
 *
 * @param props.step Undefined on screens that are none of the four steps.
 * @param props.above Content above the heading.
 */
export function Top(props: {
  page: Page;
  step: 1 | 2 | 3 | 4 | undefined;
  above?: ComponentChildren;
  children: string;
}) {
  const { page, step, above, children } = props;
  return (
    <>
      {page.app !== undefined && step !== undefined && <Steps current={step} />}
      {above}
      <Heading>{children}</Heading>
      <Notice {...page.notice} />
    </>
  );
}
