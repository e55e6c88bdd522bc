import { useState } from "react";
import { useConnect, useConnection, useConnectors, useDisconnect } from "wagmi";
import { Claim } from "./Claim.tsx";
import { Deposit } from "./Deposit.tsx";
import { type Return, readReturn } from "./returning.ts";

// Read once: it takes itself out of the URL.
const back = readReturn();

export function App() {
  const { addresses = [], address, status } = useConnection();
  // After the verify page, the person goes on with the account that they left with.
  const [chosen, choose] = useState<string | undefined>(back?.account);
  // Before it is connected again, wagmi only remembers the accounts.
  const account = status === "connected" ? (addresses.find((each) => each === chosen) ?? address) : undefined;
  return (
    <main>
      <h1>One person counts once</h1>
      <p>Each person may take part once, however many wallets they have.</p>
      <div role="status">{back !== undefined && <Welcome back={back} account={account} />}</div>
      <section>
        <h2>Your wallet</h2>
        {status === "connected" && <Connected accounts={addresses} account={account} onChoose={choose} />}
        <Connect />
      </section>
      <Claim account={account} />
      <Deposit account={account} />
    </main>
  );
}

/** The outcome of the verify page, which concerns one account. */
function Welcome({ back, account }: { readonly back: Return; readonly account: string | undefined }) {
  if (back.error !== undefined) {
    return (
      <p className="notice bad">
        You came back without a verified account (<code>{back.error}</code>).
      </p>
    );
  }
  if (account !== undefined && account !== back.account) {
    return (
      <p className="notice bad">
        You verified your account for {back.account}. Choose that account in your wallet.
      </p>
    );
  }
  return <p className="notice good">Your account is verified. Continue: {back.act}.</p>;
}

/** Offers the browser's wallets until one is connected. */
function Connect() {
  const { status } = useConnection();
  const connectors = useConnectors();
  const { mutate: connect, isError } = useConnect();
  if (status === "connected") return null;
  if (status !== "disconnected") return <p role="status">Connecting …</p>;
  if (connectors.length === 0) return <p className="notice bad">There is no wallet in this browser.</p>;
  return (
    <>
      {connectors.map((connector) => (
        <button key={connector.uid} type="button" onClick={() => connect({ connector })}>
          Connect {connector.name}
        </button>
      ))}
      <div role="alert">{isError && <p className="notice bad">The wallet did not connect.</p>}</div>
    </>
  );
}

function Connected(props: {
  readonly accounts: readonly string[];
  readonly account: string | undefined;
  readonly onChoose: (account: string) => void;
}) {
  const { connector } = useConnection();
  const { mutate: disconnect } = useDisconnect();
  return (
    <>
      <label>
        Account of {connector?.name}
        <select value={props.account} onChange={({ target }) => props.onChoose(target.value)}>
          {props.accounts.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <button type="button" className="quiet" onClick={() => disconnect()}>
        Disconnect
      </button>
    </>
  );
}
