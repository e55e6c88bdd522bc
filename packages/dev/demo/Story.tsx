import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { shortenAddress } from "@hardhat-identity/verify-page/shared/words";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Acts } from "./acts.ts";
import { DeviceIcon } from "./DeviceIcon.tsx";
import { Result } from "./Result.tsx";
import { type Demo, isBusy, isDone, isToldIn, nameState } from "./state.ts";
import { type StoryName, story, storyNames, walletsOf } from "./story.ts";
import { demoTexts } from "./texts.ts";

interface StoryProps {
  demo: Demo;
  /** `undefined` while the page loads. */
  acts: Acts | undefined;
  accounts: readonly string[] | undefined;
  /** The next step after the story's end. */
  onward?: ComponentChildren;
}

/** Three claims, and what came of each. */
export function Story(props: StoryProps) {
  const { demo, acts, onward } = props;
  const texts = useTexts(demoTexts);
  const isTold = isToldIn(demo);
  const ending = useRef<HTMLDivElement>(null);
  const wasTold = useRef<boolean | undefined>(undefined);
  useEffect(() => {
    // A reload tells nobody's story anew.
    if (acts === undefined) return;
    if (isTold && wasTold.current === false) ending.current?.scrollIntoView({ block: "nearest" });
    wasTold.current = isTold;
  }, [isTold, acts]);
  return (
    <section aria-labelledby="story">
      <h2 id="story" class="unseen">
        {texts.story}
      </h2>
      <div role="status">{demo.isUsed && <p class="notice result">{texts.used}</p>}</div>
      <div class="story">
        <ol class="plain">
          {storyNames.map((name) => (
            <Claim key={name} {...props} name={name} />
          ))}
        </ol>
        <div class={isTold ? "ending card next" : "ending"} ref={ending}>
          <div role="status">{isTold && <p class="told">{texts.told}</p>}</div>
          {onward}
        </div>
      </div>
    </section>
  );
}

/** One claim: the person and wallet, its progress, and its outcome. */
function Claim(props: StoryProps & { name: StoryName }) {
  const { name, demo, acts, accounts } = props;
  const { claims, latest, isReturn, isReset, round, film } = demo;
  const texts = useTexts(demoTexts);
  const phase = claims[name];
  const { after } = story[name];
  const words = texts.tries[name];
  const isNext = name === storyNames.find((each) => !isDone(demo, each));
  const isEarly = after !== undefined && phase === undefined && !isDone(demo, after);
  // An account that was proven for a phone in an earlier round stays proven.
  const isUsedUp = demo.isUsed && name === "phone";
  const mayClaim = acts !== undefined && !isEarly && !isUsedUp && !isBusy(demo);
  const isElsewhere = storyNames.some(
    (each) => nameState(demo, each) === "otherwise" || claims[each]?.name === "proving",
  );
  // Focuses the next button after a step, and after a new start, whose own button may be gone.
  const hasArrived = isReturn && latest === "phone" && isDone(demo, "phone") && name !== "phone";
  const takesFocus = isNext && film === "none" && (hasArrived || isReset);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    if (isReset) scrollTo(0, 0);
    button.current?.focus({ preventScroll: true });
    button.current?.scrollIntoView({ block: "nearest" });
  }, [takesFocus]);
  const state = nameState(demo, name);
  const isClaiming = phase?.name === "claiming";
  const account = accounts && walletsOf(accounts, round, film !== "none")[name];
  return (
    <li class="try">
      <div class="card">
        <div class="who">
          <h3>{words.title}</h3>
          <span class="quiet-text">
            {texts.devices[name]} · <code>{account && shortenAddress(account)}</code>
          </span>
          <DeviceIcon kind={story[name].device} />
        </div>
        <p>{isDone(demo, name) ? words.past : words.text}</p>
        {after !== undefined && (
          <p class={`quiet-text ${isEarly ? "" : "past"}`} id={`${name}-early`}>
            {texts.afterwards(storyNames.indexOf(after) + 1)}
          </p>
        )}
        {isDone(demo, name) ? (
          <p class={`ended ${state}`}>{words.ended}</p>
        ) : (
          <button
            type="button"
            class={`${isNext && !isElsewhere ? "" : "quiet"} ${isClaiming ? "busy" : ""}`}
            ref={button}
            aria-disabled={!mayClaim}
            aria-describedby={isEarly ? `${name}-early` : undefined}
            onClick={mayClaim ? () => void acts.claim(name) : undefined}
          >
            {isClaiming && <span class="spinner" aria-hidden="true" />}
            {isClaiming ? texts.waits.button : words.action}
          </button>
        )}
      </div>
      <Result {...props} phase={phase} />
    </li>
  );
}
