import { project } from "@hardhat-identity/verify-page/content/project";
import { Frame } from "@hardhat-identity/verify-page/shared/Frame.tsx";
import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { Progress } from "@hardhat-identity/verify-page/shared/Progress.tsx";
import { tabMemory } from "@hardhat-identity/verify-page/shared/storage";
import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import { nameTrouble } from "@hardhat-identity/verify-page/shared/trouble";
import { useTask } from "@hardhat-identity/verify-page/shared/useTask";
import { announceWallet } from "@hardhat-identity/wallet/announce";
import { useEffect, useState } from "preact/hooks";
import { type Acts, createActs } from "./acts.ts";
import { CopyBlock } from "./CopyBlock.tsx";
import { type Consumer, listEntryPoints, listExamples } from "./consumers.ts";
import { OwnClaim } from "./OwnClaim.tsx";
import { NotForwarded, type Prepared, prepare } from "./prepare.ts";
import { SentInStory } from "./SentInStory.tsx";
import { Stage } from "./Stage.tsx";
import { Story } from "./Story.tsx";
import { type Demo, emptyDemo, isToldIn } from "./state.ts";
import { demoTexts } from "./texts.ts";

/** The demo: who claims, from which device, what comes of it, and what travels. */
export function App() {
  const texts = useTexts(demoTexts);
  // Begins as in a new tab: what this one keeps may be what failed.
  const forgetAll = () => {
    tabMemory.clear();
    location.reload();
  };
  return (
    <Frame
      where={texts.where}
      host={location.host}
      about={<p>{texts.about}</p>}
      privacy={<p>{texts.privacy}</p>}
      wayOut={
        <button type="button" class="quiet" onClick={forgetAll}>
          {texts.reset}
        </button>
      }
    >
      <Page />
    </Frame>
  );
}

/** Draws the story at once, and has it begin when the stack has answered. */
function Page() {
  const [start, setStart] = useState<{ prepared: Prepared; acts: Acts }>();
  const [failure, setFailure] = useState<{ error: unknown }>();
  const [demo, show] = useState(emptyDemo);
  const resetting = useTask();
  const load = () => {
    setFailure(undefined);
    prepare().then(
      (prepared) => {
        show(prepared.demo);
        const acts = createActs(prepared, show);
        setStart({ prepared, acts: { ...acts, startOver: () => resetting.run(acts.startOver) } });
      },
      (error) => setFailure({ error }),
    );
  };
  useEffect(load, []);
  const { acts, prepared } = start ?? {};
  useEffect(() => {
    if (acts === undefined) return;
    acts.goOn();
    // A browser that goes back may show the page as it was left.
    const look = ({ persisted }: PageTransitionEvent) => persisted && acts.comeBack();
    addEventListener("pageshow", look);
    return () => removeEventListener("pageshow", look);
  }, [acts]);
  const own = (prepared?.config.own ?? []).flatMap(listEntryPoints);
  const isTold = isToldIn(demo);
  // Developers with their own contract came to try that; everybody else comes for the story first.
  const onward = (isTold || own.length > 0) && <Onward own={own} isNext={isTold} />;
  return (
    <>
      <div class="telling">
        <Stage demo={demo} acts={acts} hasFailed={failure !== undefined} />
        <Progress task={resetting} />
        {failure ? (
          <Failed error={failure.error} tryAgain={load} />
        ) : (
          <Story demo={demo} acts={acts} accounts={prepared?.accounts} onward={onward} />
        )}
      </div>
      {start && <ForDevelopers {...start} demo={demo} own={own} />}
    </>
  );
}

function Failed({ error, tryAgain }: { error: unknown; tryAgain: () => void }) {
  const texts = useTexts(demoTexts);
  const { notForwarded } = texts;
  const { troubles } = useTexts(sharedTexts);
  const away = error instanceof NotForwarded ? error : undefined;
  const what = [notForwarded.what, " ", <code>{away?.unreached.join(", ")}</code>, notForwarded.restart];
  return (
    <>
      <div class="notice result bad" role="alert">
        <h2>{notForwarded.title}</h2>
        <p>{away ? what : troubles[nameTrouble(error)]}</p>
      </div>
      {away && (
        <details class="card">
          <summary>{notForwarded.elsewhere}</summary>
          <p>{notForwarded.forward(away.config.demoUrl)}</p>
          <CopyBlock title={notForwarded.command} text={away.config.forwarding} />
        </details>
      )}
      <button type="button" onClick={tryAgain}>
        {texts.tryAgain}
      </button>
    </>
  );
}

/** How to go on in a project of one's own. */
function Onward({ own, isNext }: { own: readonly Consumer[]; isNext: boolean }) {
  const texts = useTexts(demoTexts);
  const hasOwn = own.length > 0;
  const onward = hasOwn ? texts.onward.own : texts.onward;
  return (
    <section class={isNext ? "onward" : "card onward"} aria-labelledby="onward">
      <h2 id="onward">{onward.title}</h2>
      <p>{onward.text}</p>
      <p>
        <a class={isNext ? "button" : ""} href={hasOwn ? "#own" : `${project.docs}getting-started.md`}>
          {hasOwn ? texts.own.jump(own.map(({ name }) => name).join(", ")) : texts.onward.guide}
        </a>
      </p>
      <CopyBlock title={onward.terminal} text={onward.command} />
    </section>
  );
}

/** The recorded messages, and a claim with the reader's own wallet or contract. */
function ForDevelopers(props: { prepared: Prepared; acts: Acts; demo: Demo; own: readonly Consumer[] }) {
  const { acts, demo, own } = props;
  const texts = useTexts(demoTexts);
  const { config } = props.prepared;
  useEffect(() => void announceWallet({ rpcUrl: config.rpcUrl }), [config]);
  const examples = listExamples({ ...config.consumers, ...demo.opened });
  // A project's contract may have the name of an example.
  const others = examples.filter(({ name }) => own.every((each) => each.name !== name));
  return (
    <details
      class="card developers"
      open={demo.isDeveloping}
      onToggle={({ currentTarget }) => acts.develop(currentTarget.open)}
    >
      <summary>
        <b>{texts.developers.title}</b> <span class="quiet-text">{texts.developers.text}</span>
      </summary>
      <section aria-labelledby="sent-title">
        <h2 id="sent-title">{texts.travelled}</h2>
        <SentInStory demo={demo} acts={acts} />
      </section>
      <OwnClaim prepared={props.prepared} demo={demo} acts={acts} consumers={[...own, ...others]} />
    </details>
  );
}
