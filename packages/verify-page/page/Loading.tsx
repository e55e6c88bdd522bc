import { useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";
import { verifyTexts } from "./texts.ts";

/** Stands where a screen will, and is about as high. */
export function Loading({ page }: { page?: Page }) {
  const { loading } = useTexts(verifyTexts);
  return (
    <div class="loading">
      {page?.app !== undefined && <Steps current={1} />}
      <Progress task={{ progress: loading, problem: undefined }} />
    </div>
  );
}
