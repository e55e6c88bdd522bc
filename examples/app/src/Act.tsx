import type { ClaimState } from "@hardhat-identity/client/react";
import { describeProblem } from "./describeProblem.ts";
import { leave } from "./returning.ts";

/** A button for a claim, and the state of the claim. */
export function Act(props: {
  readonly name: string;
  readonly account: string | undefined;
  readonly state: ClaimState;
  readonly onPress: () => void;
}) {
  const { name, account, state } = props;
  const { status } = state;
  const isOff = status === "signing" || status === "sending" || status === "unknown";
  return (
    <>
      <button type="button" disabled={account === undefined || isOff} onClick={props.onPress}>
        {name}
      </button>
      <div role="status">
        {status === "disconnected" && <p>Connect your wallet first.</p>}
        {status === "signing" && <p>Sign the message in your wallet …</p>}
        {status === "sending" && <p>Waiting for the transaction …</p>}
        {status === "done" && <p className="notice good">{name}: done.</p>}
        {status === "needs-conditions" && <p className="notice bad">{state.error.message}</p>}
        {status === "unknown" && <p className="notice">{describeProblem(state.error)}</p>}
        {status === "refused" && <p className="notice bad">{describeProblem(state.error)}</p>}
        {status === "needs-account" && account !== undefined && (
          <>
            <p className="notice">First verify your account. You come back here.</p>
            <button
              type="button"
              className="quiet"
              onClick={() => leave(state.verifyUrl, { act: name, account })}
            >
              Verify it
            </button>
          </>
        )}
      </div>
    </>
  );
}
