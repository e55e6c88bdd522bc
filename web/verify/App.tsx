import { useCallback, useEffect, useState } from "preact/hooks";
import type { Overview } from "../../protocol/verifyPage.ts";
import type { ServiceFailure } from "../shared/askService.ts";
import { Broken } from "./Broken.tsx";
import { Check } from "./Check.tsx";
import { Connect } from "./Connect.tsx";
import { Failed } from "./Failed.tsx";
import { Leave } from "./Leave.tsx";
import { Outdated } from "./Outdated.tsx";
import { Prove } from "./Prove.tsx";
import type { Page } from "./page.ts";
import { readOverview } from "./service.ts";

const endedNotice =
  "That sign-in was not started in this browser, was used already, or took too long. Nothing was stored; start again.";

/** The page: what the service knows decides which screen is shown. */
export function App() {
  const [overview, setOverview] = useState<Overview>();
  const [failure, setFailure] = useState<unknown>();
  const [outdated, setOutdated] = useState<ServiceFailure>();
  const [leavingTo, setLeavingTo] = useState<string>();
  const [notice, setNotice] = useState(
    new URLSearchParams(location.search).has("ended") ? endedNotice : undefined,
  );

  const load = useCallback(async () => {
    try {
      const read = await readOverview();
      const { origin } = new URL(read.pageUrl);
      // Cookies and signatures belong to the configured origin.
      if (origin !== location.origin) return location.replace(`${read.pageUrl}${location.search}`);
      setOverview(read);
      setFailure(undefined);
      setOutdated(undefined);
      return read;
    } catch (error) {
      setFailure(error);
    }
  }, []);
  useEffect(() => void load(), [load]);
  useEffect(() => watchReturn(load), [load]);

  if (failure !== undefined) return <Broken failure={failure} retry={load} />;
  if (overview === undefined) return <p role="status">One moment …</p>;

  const page: Page = {
    overview,
    async reload(said) {
      const read = await load();
      // What was done was done for the wallet that was on the screen.
      setNotice(read?.wallet === overview.wallet ? said : undefined);
    },
    outdate(failure) {
      setNotice(undefined);
      setOutdated(failure);
    },
    leave(outcome) {
      const { returnTo } = overview;
      if (returnTo === undefined) return;
      const url = outcome === "success" ? returnTo.success : returnTo.errors[outcome];
      if (returnTo.kind === "trusted") location.assign(url);
      else setLeavingTo(url);
    },
  };
  if (outdated !== undefined) return <Outdated failure={outdated} goOn={() => page.reload()} />;
  return (
    <>
      <div role="status">{notice && <p class="notice">{notice}</p>}</div>
      {leavingTo === undefined ? (
        <Screen page={page} />
      ) : (
        <Leave
          page={page}
          url={leavingTo}
          back={async () => {
            await load();
            setLeavingTo(undefined);
          }}
        />
      )}
    </>
  );
}

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
