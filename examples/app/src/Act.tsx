import type { EIP1193Provider } from "viem";
import { describeProblem } from "./describeProblem.ts";
import { leave } from "./returning.ts";
import type { Progress } from "./useVerification.ts";

/** A wallet that is connected, and the account that acts. */
export interface Connected {
  readonly wallet: EIP1193Provider;
  readonly rdns: string;
  readonly account: string;
}

/** A button for what needs a verification, and how it goes. */
export function Act(props: {
  readonly name: string;
  readonly connected: Connected;
  readonly progress: Progress;
  readonly onPress: () => void;
}) {
  const { name, connected, progress } = props;
  const { rdns, account } = connected;
  const isBusy = progress.status === "signing" || progress.status === "sending";
  return (
    <>
      <button type="button" disabled={isBusy} onClick={props.onPress}>
        {name}
      </button>
      <div role="status">
        {progress.status === "signing" && <p>Sign the message in your wallet …</p>}
        {progress.status === "sending" && <p>Waiting for the transaction …</p>}
        {progress.status === "done" && <p className="notice good">{name}: done.</p>}
        {progress.status === "refused" && <p className="notice bad">{describeProblem(progress.error)}</p>}
        {progress.status === "prove" && (
          <>
            <p className="notice">First prove that you have the account. You come back here.</p>
            <button
              type="button"
              className="quiet"
              onClick={() => leave(progress.verifyUrl, { act: name, rdns, account })}
            >
              Prove it
            </button>
          </>
        )}
      </div>
    </>
  );
}
