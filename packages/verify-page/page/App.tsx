import { useCallback, useEffect, useReducer, useState } from "preact/hooks";
import type { Overview, ReturnAddress } from "../messages.ts";
import { Frame } from "../shared/Frame.tsx";
import { useTexts } from "../shared/language.tsx";
import { Broken, isBadLink } from "./Broken.tsx";
import { readBrand } from "./brand.ts";
import { Check } from "./Check.tsx";
import { Connect } from "./Connect.tsx";
import { Failed } from "./Failed.tsx";
import { followLink } from "./followLink.ts";
import { Leave } from "./Leave.tsx";
import { Loading } from "./Loading.tsx";
import { noteLeft, noteSignInAgain, readEnd } from "./memory.ts";
import { Outdated } from "./Outdated.tsx";
import { Prove } from "./Prove.tsx";
import { Purpose } from "./Purpose.tsx";
import type { Page, Says } from "./page.ts";
import { readOverview, readWayBack } from "./service.ts";
import { reduce, type State } from "./state.ts";
import { verifyTexts } from "./texts.ts";

const brand = readBrand();

/** The page: what the service knows decides which screen is shown. */
export function App() {
  const texts = useTexts(verifyTexts);
  const [overview, setOverview] = useState<Overview>();
  const privacyUrl = overview?.privacyUrl;
  const privacy = (
    <>
      {texts.privacy}
      {privacyUrl && (
        <p>
          <a href={privacyUrl} target="_blank" rel="noreferrer">
            {texts.operatorsPrivacy}
          </a>
        </p>
      )}
    </>
  );
  return (
    <Frame
      where={brand.name ?? texts.where}
      host={location.host}
      logo={brand.logo}
      about={texts.about}
      privacy={privacy}
      wayOut={overview?.returnTo && <WayOut returnTo={overview.returnTo} />}
    >
      <Journey onRead={setOverview} />
    </Frame>
  );
}

const nameApp = ({ name, origin }: ReturnAddress): string => name ?? new URL(origin).host;

/** The way back to the app without a screen: those have failed. */
function WayOut({ returnTo, isNext = false }: { returnTo: ReturnAddress; isNext?: boolean }) {
  const { goBackTo } = useTexts(verifyTexts);
  const { kind, errors } = returnTo;
  return (
    <>
      <a class={isNext ? "button" : "button quiet"} href={errors.cancelled} rel="noreferrer">
        {goBackTo(nameApp(returnTo))}
      </a>
      {kind === "ask" && (
        <code class="address" translate={false}>
          {errors.cancelled}
        </code>
      )}
    </>
  );
}

const saySignedOut: Says = ({ outdated }) => outdated.signedOut;

// Read once: it also rewrites the URL.
const end = readEnd();
const sayEnd: Says | undefined = end && (({ prove }) => prove.ended[end]);

const initial: State = { isOutdated: false, notice: { says: sayEnd, isGood: false } };

function Journey({ onRead }: { onRead: (overview: Overview) => void }) {
  const texts = useTexts(verifyTexts);
  const [state, dispatch] = useReducer(reduce, initial);
  const { overview, failure, wayBack, isOutdated, leavingTo, accepted, notice } = state;

  const load = useCallback(async () => {
    try {
      const read = await readOverview();
      const { origin } = new URL(read.pageUrl);
      // Cookies and signatures belong to the configured origin.
      if (origin !== location.origin) return location.replace(`${read.pageUrl}${location.search}`);
      if (hasEnded(read)) noteLeft(undefined);
      dispatch({ type: "read", overview: read });
      onRead(read);
      return read;
    } catch (failure) {
      const wayBack = isBadLink(failure) ? await readWayBack().catch(() => undefined) : undefined;
      dispatch({ type: "fail", failure, wayBack });
    }
  }, []);
  useEffect(() => void load(), [load]);
  useEffect(() => watchReturn(load), [load]);

  if (failure !== undefined) {
    return <Broken failure={failure} retry={load} wayOut={wayBack && <WayOut returnTo={wayBack} isNext />} />;
  }
  if (overview === undefined) return <Loading />;

  const { returnTo } = overview;
  const page: Page = {
    overview,
    app: returnTo && nameApp(returnTo),
    notice: {
      // A sign-in that has failed says by itself what became of it.
      text: overview.proof?.step === "failed" ? undefined : notice.says?.(texts),
      isGood: notice.isGood,
    },
    isElsewhere: notice.says === sayEnd && end === "elsewhere",
    unsay: () => dispatch({ type: "say", says: undefined, isGood: notice.isGood }),
    accepts: (wallet) => wallet === accepted,
    accept: (wallet) => dispatch({ type: "accept", wallet }),
    async reload(said, tone) {
      const read = await load();
      // The notice is about the wallet that was on the screen.
      const says = read?.wallet === overview.wallet ? said : undefined;
      dispatch({ type: "say", says, isGood: tone === "good" });
    },
    outdate: () => dispatch({ type: "outdate" }),
    async signInAgain() {
      noteSignInAgain();
      const read = await load();
      const says = read?.wallet === undefined ? saySignedOut : undefined;
      dispatch({ type: "say", says, isGood: false });
    },
    async leave(outcome) {
      if (returnTo === undefined) return;
      const url = outcome === "success" ? returnTo.success : returnTo.errors[outcome];
      if (returnTo.kind === "trusted") await followLink(url);
      else dispatch({ type: "leave", to: url });
    },
  };
  if (isOutdated) return <Outdated goOn={() => page.reload()} />;
  return (
    <>
      <Purpose page={page} />
      {leavingTo === undefined ? (
        <Screen page={page} />
      ) : (
        <Leave
          page={page}
          url={leavingTo}
          back={async () => {
            await load();
            dispatch({ type: "stay" });
          }}
        />
      )}
    </>
  );
}

const hasEnded = ({ proof }: Overview): boolean => proof !== undefined && proof.step !== "started";

/** A browser that goes back to the page may show it as it was left: signed in, with the accounts. */
function watchReturn(load: () => unknown): () => void {
  const look = ({ persisted }: PageTransitionEvent) => persisted && load();
  addEventListener("pageshow", look);
  return () => removeEventListener("pageshow", look);
}

function Screen({ page }: { page: Page }) {
  const { wallet, proof } = page.overview;
  if (wallet === undefined) return <Connect page={page} />;
  if (proof?.step === "proven") return <Check page={page} wallet={wallet} proof={proof} />;
  if (proof?.step === "failed") return <Failed page={page} wallet={wallet} proof={proof} />;
  return <Prove page={page} wallet={wallet} />;
}
