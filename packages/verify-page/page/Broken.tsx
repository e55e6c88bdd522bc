import type { ComponentChildren } from "preact";
import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { Heading } from "../shared/Heading.tsx";
import { useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { useTask } from "../shared/useTask.ts";
import { verifyTexts } from "./texts.ts";

/** Whether the service refuses what the app asks in its link. */
export const isBadLink = (failure: unknown): failure is ServiceFailure =>
  failure instanceof ServiceFailure && failure.code === "invalid_argument";

/**
 * The page cannot be shown: the app asked wrongly, or the service is not there.
 *
 * @param props.wayOut The link to an app that asked wrongly, if its address is known.
 */
export function Broken(props: {
  failure: unknown;
  retry: () => Promise<unknown>;
  wayOut: ComponentChildren;
}) {
  const { failure, retry, wayOut } = props;
  const texts = useTexts(verifyTexts);
  const { troubles } = useTexts(sharedTexts);
  const task = useTask(() => sentence);
  const trouble = nameTrouble(failure);
  // An unreadable answer does not come from the service.
  const sentence = troubles[trouble === "page" ? "garbled" : trouble];
  const { broken } = texts;
  if (isBadLink(failure)) {
    return (
      <>
        <Heading>{broken.badLink}</Heading>
        <p>{broken.appsFault}</p>
        <p>{broken.startAgain}</p>
        <p class="quiet-text">
          {broken.forDevelopers}{" "}
          <code lang="en" translate={false}>
            {failure.message}
          </code>
        </p>
        <div class="actions">
          {wayOut}
          <a class="button quiet" href={location.pathname}>
            {broken.seeAccounts}
          </a>
        </div>
      </>
    );
  }
  return (
    <>
      <Heading>{broken.title}</Heading>
      {!task.busy && (
        <p key={task.attempt} class="notice bad" role="alert">
          {sentence}
        </p>
      )}
      <p>{broken.nothingLost}</p>
      <div class="actions">
        <button
          type="button"
          aria-disabled={task.busy}
          onClick={() =>
            task.run(async (say) => {
              say(broken.trying);
              await retry();
            })
          }
        >
          {texts.tryAgain}
        </button>
      </div>
      <Progress task={task} />
    </>
  );
}
