import { Heading } from "../shared/Heading.tsx";
import { Notice } from "./Notice.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";

/** The top of a screen: its step on an app's way, its heading, and what has just been done. */
export function Top({ page, step, children }: { page: Page; step: 1 | 2 | 3 | 4; children: string }) {
  return (
    <>
      {page.app !== undefined && <Steps current={step} />}
      <Heading>{children}</Heading>
      <Notice {...page.notice} />
    </>
  );
}
