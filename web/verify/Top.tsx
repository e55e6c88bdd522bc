import { Heading } from "../shared/Heading.tsx";
import { Notice } from "./Notice.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";

/**
 * The top of a screen: its step on an app's way, its heading, and what has just been done.
 *
 * @param props.step Nothing for whoever leaves that way before its end.
 */
export function Top(props: { page: Page; step: 1 | 2 | 3 | 4 | undefined; children: string }) {
  const { page, step, children } = props;
  return (
    <>
      {page.app !== undefined && step !== undefined && <Steps current={step} />}
      <Heading>{children}</Heading>
      <Notice {...page.notice} />
    </>
  );
}
