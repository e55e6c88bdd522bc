import { useEffect } from "preact/hooks";
import { useTexts } from "../shared/language.tsx";
import type { Page } from "./page.ts";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";

/** Milliseconds in which a person sees that it worked. */
const momentMs = 600;

/** It worked: said for a moment, before the app has the person again. */
export function Stored({ page, app, label }: { page: Page; app: string; label: string }) {
  const { check, prove } = useTexts(verifyTexts);
  const leave = () => void page.leave("success");
  useEffect(() => {
    const timer = setTimeout(leave, momentMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <Top page={page} step={4} above={<Tick />}>
        {check.stored(label)}
      </Top>
      <p role="status">{check.goingBack(app)}</p>
      <div class="actions late">
        <button type="button" onClick={leave}>
          {prove.goOn(app)}
        </button>
      </div>
    </>
  );
}

const Tick = () => (
  <svg class="worked" viewBox="0 0 48 48" aria-hidden="true">
    <circle cx="24" cy="24" r="21" />
    <path pathLength="1" d="M14 25l7 7 14-15" />
  </svg>
);
