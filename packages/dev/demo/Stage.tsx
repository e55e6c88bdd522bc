import { Heading } from "@hardhat-identity/verify-page/shared/Heading.tsx";
import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { shortenAddress } from "@hardhat-identity/verify-page/shared/words";
import type { Acts } from "./acts.ts";
import { type Demo, isBusy, isDone, nameState } from "./state.ts";
import { story, storyNames } from "./story.ts";
import { demoTexts } from "./texts.ts";

/** The introduction and, beside it, the state of the story. Without `acts`, the buttons are disabled. */
export function Stage(props: { demo: Demo; acts: Acts | undefined; hasFailed: boolean }) {
  const { demo, acts, hasFailed } = props;
  const texts = useTexts(demoTexts);
  const { picture, ledger } = texts;
  const [phone, laptop] = [nameState(demo, "phone"), nameState(demo, "laptop")];
  // Her phone is the second where another wallet of hers has claimed before.
  const isRefused = laptop === "reverted" || isDone(demo, "phone", story.laptop.expected);
  const waiting = hasFailed ? ledger.unconnected : texts.loading;
  const mayPlay = acts !== undefined && !isBusy(demo);
  const hasBegun = Object.keys(demo.claims).length > 0;
  const isOffered = storyNames.some((name) => nameState(demo, name) === "otherwise");
  return (
    <div class="opening">
      <div>
        <p>
          <span class="tag">{texts.local}</span>
        </p>
        <Heading focus={false} of={texts.where}>
          {texts.title}
        </Heading>
        <p class="lead">{texts.lead}</p>
      </div>
      <div class="scene">
        <div class="card stage">
          <svg class="picture" viewBox="0 0 248 112" role="img" aria-label={picture(phone, laptop)}>
            <path
              class="alice"
              d="M35 44a9 9 0 1 0-18 0 9 9 0 0 0 18 0zM10 76c0-22 32-22 32 0M50 50l32-18M50 62l32 18"
            />
            <path
              class="devices"
              d="M99 6h14q5 0 5 5v32q0 5-5 5H99q-5 0-5-5V11q0-5 5-5zM102 41h8M93 64h26q3 0 3 3v18q0 3-3 3H93q-3 0-3-3V67q0-3 3-3zM83 96h46"
            />
            <path
              class="contract"
              d="M200 10h36q6 0 6 6v78q0 6-6 6h-36q-6 0-6-6V16q0-6 6-6zM206 50h24M206 66h14"
            />
            <g class={`claim ${phone}`}>
              <path class="way" d="M134 28h50" />
              <path pathLength="1" class="drawn" d="M134 28h22" />
              <path pathLength="1" class="end" d="M164 27l6 6 11-13" />
            </g>
            <g class={`claim ${laptop}`}>
              <path class="way" d="M134 80h50" />
              <path pathLength="1" class="drawn" d="M134 80h22" />
              <path class="end" d="M165 73l14 14M179 73l-14 14" />
            </g>
            <path class={isRefused ? "pulse" : ""} d="M206 34h24" />
          </svg>
          <section class="ledger" aria-labelledby="ledger">
            <h2 id="ledger">{ledger.title}</h2>
            <p>{acts ? ledger.people(demo.known.length) : ledger.unknown}</p>
            <div role="status">
              {demo.known.map((hash) => (
                <p key={hash} class="known">
                  <code title={hash}>{shortenAddress(hash)}</code> <span>{ledger.claimed}</span>
                </p>
              ))}
              {demo.known.length === 0 && <p>{acts ? ledger.nobody : waiting}</p>}
            </div>
            <p class="quiet-text">{ledger.nothingElse}</p>
            <p class={isRefused ? "latest pulse" : "latest"} role="status">
              {isRefused ? ledger.again : demo.isReset && !demo.isUsed && texts.resetDone}
            </p>
          </section>
        </div>
        <div class="controls">
          <button type="button" class="quiet play" aria-disabled={!mayPlay} onClick={acts?.play}>
            {texts.play}
          </button>
          {hasBegun && !isOffered && (
            <button type="button" class="link" aria-disabled={!mayPlay} onClick={acts?.startOver}>
              {texts.reset}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
