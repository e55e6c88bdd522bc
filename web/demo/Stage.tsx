import { Heading } from "../shared/Heading.tsx";
import { shortenAddress } from "../shared/words.ts";
import type { Acts } from "./acts.ts";
import { type Demo, isBusy, nameState } from "./state.ts";
import { texts } from "./texts.tsx";

/** What the page is about, and beside it what has become of the story so far. It loads as long as nothing can be done. */
export function Stage({ demo, acts }: { demo: Demo; acts: Acts | undefined }) {
  const { picture, ledger, film } = texts;
  const [phone, laptop] = [nameState(demo, "phone"), nameState(demo, "laptop")];
  const isRefused = laptop === "reverted";
  const identityHash = readIdentityHash(demo);
  const isPlaying = demo.film === "playing";
  const mayPlay = acts !== undefined && !isBusy(demo);
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
      <div class="stage">
        <div>
          <svg class="picture" viewBox="0 0 248 112" role="img" aria-label={picture(phone, laptop)}>
            <circle cx="26" cy="44" r="9" />
            <path d="M10 76c0-22 32-22 32 0M50 50l32-18M50 62l32 18" />
            <rect x="94" y="6" width="24" height="42" rx="5" />
            <path d="M102 41h8" />
            <rect x="90" y="64" width="32" height="24" rx="3" />
            <path d="M83 96h46" />
            <path class="way" d="M134 28h50M134 80h50" />
            <g class={`claim ${phone}`}>
              <path pathLength="1" class="drawn" d="M134 28h22" />
              <path pathLength="1" class="end" d="M164 27l6 6 11-13" />
            </g>
            <g class={`claim ${laptop}`}>
              <path pathLength="1" class="drawn" d="M134 80h22" />
              <path class="end" d="M165 73l14 14M179 73l-14 14" />
            </g>
            <rect class="contract" x="194" y="10" width="48" height="90" rx="6" />
            <path class={isRefused ? "pulse" : ""} d="M206 34h24" />
            <path d="M206 50h24M206 66h14" />
          </svg>
          <button
            type="button"
            class={`quiet play ${isPlaying ? "" : "begins"}`}
            aria-disabled={!isPlaying && !mayPlay}
            onClick={isPlaying ? acts?.stop : mayPlay ? acts.play : undefined}
          >
            {isPlaying ? film.stop : film.play}
          </button>
        </div>
        <section class="ledger" aria-labelledby="ledger">
          <h2 id="ledger">{ledger.title}</h2>
          <p>{ledger.people(identityHash === undefined ? 0 : 1)}</p>
          <p role="status">
            {identityHash === undefined && (acts ? ledger.nobody : texts.loading)}
            {identityHash && (
              <>
                <code title={identityHash}>{shortenAddress(identityHash)}</code> {ledger.claimed}
              </>
            )}
          </p>
          <p class="quiet-text">{ledger.nothingElse}</p>
          <p class={isRefused ? "refusal pulse" : "refusal"} role="status">
            {isRefused && ledger.again}
          </p>
        </section>
      </div>
    </div>
  );
}

/** As whom the contract knows Alice. */
export function readIdentityHash({ claims: { phone } }: Demo): string | undefined {
  return phone?.name === "ended" && phone.outcome.kind === "admitted"
    ? phone.outcome.identityHash
    : undefined;
}
