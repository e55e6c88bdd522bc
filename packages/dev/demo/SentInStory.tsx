import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import type { Acts } from "./acts.ts";
import { Log } from "./Log.tsx";
import { type Demo, findViewed, listSent, nameState } from "./state.ts";
import { type StoryName, storyNames } from "./story.ts";
import { demoTexts } from "./texts.ts";

/** The calls of each claim of the story, on a tab of its own (the tab pattern of the ARIA practices). */
export function SentInStory({ demo, acts }: { demo: Demo; acts: Acts }) {
  const texts = useTexts(demoTexts);
  const sent = listSent(demo);
  const viewed = findViewed(demo);
  if (viewed === undefined) return <p>{texts.developers.nothingSent}</p>;
  const nameTab = (name: StoryName) => `${storyNames.indexOf(name) + 1} ${texts.tabs[nameState(demo, name)]}`;
  const followArrow = (event: KeyboardEvent) => {
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (turn === undefined) return;
    const next = sent[(sent.indexOf(viewed) + turn + sent.length) % sent.length] ?? viewed;
    acts.view(next);
    document.getElementById(`sent-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-labelledby="sent-title">
        {sent.map((name) => (
          <button
            type="button"
            key={name}
            id={`sent-${name}`}
            class="quiet tab"
            role="tab"
            aria-selected={name === viewed}
            aria-controls="sent-panel"
            tabIndex={name === viewed ? 0 : -1}
            onClick={() => acts.view(name)}
            onKeyDown={followArrow}
          >
            {nameTab(name)}
          </button>
        ))}
      </div>
      <div id="sent-panel" role="tabpanel" aria-labelledby={`sent-${viewed}`}>
        <Log key={viewed} steps={demo.claims[viewed]?.steps ?? []} />
      </div>
    </>
  );
}
