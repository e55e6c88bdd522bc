import { useEffect, useState } from "react";
import { getAddress } from "viem";
import { Claim } from "./Claim.tsx";
import { Deposit } from "./Deposit.tsx";
import { readReturn } from "./returning.ts";
import { type AnnouncedWallet, useWallets } from "./wallets.ts";

// Read once: it takes itself out of the URL.
const back = readReturn();

interface Connection {
  readonly wallet: AnnouncedWallet;
  readonly accounts: readonly string[];
  readonly account: string;
}

async function readAccounts(
  { provider }: AnnouncedWallet,
  method: "eth_accounts" | "eth_requestAccounts",
): Promise<string[]> {
  return (await provider.request({ method })).map((account) => getAddress(account));
}

export function App() {
  const wallets = useWallets();
  const [connection, setConnection] = useState<Connection>();
  const [problem, setProblem] = useState<string>();

  async function connect(wallet: AnnouncedWallet) {
    try {
      const accounts = await readAccounts(wallet, "eth_requestAccounts");
      const [account] = accounts;
      if (account !== undefined) setConnection({ wallet, accounts, account });
      setProblem(undefined);
    } catch {
      setProblem(`${wallet.info.name} did not connect.`);
    }
  }

  // Whoever comes back has connected before: the wallet is not asked again.
  useEffect(() => {
    const wallet = wallets.find(({ info }) => info.rdns === back?.rdns);
    if (wallet === undefined || back === undefined) return;
    const { account } = back;
    readAccounts(wallet, "eth_accounts").then(
      (accounts) => {
        const isThere = accounts.some((each) => each === account);
        if (isThere) setConnection((chosen) => chosen ?? { wallet, accounts, account });
      },
      () => setProblem(`${wallet.info.name} does not answer.`),
    );
  }, [wallets]);

  return (
    <main>
      <h1>One person, one claim</h1>
      <p>Every person may take part once, whatever number of wallets they have.</p>
      <div role="status">
        {back !== undefined &&
          (back.error === undefined ? (
            <p className="notice good">Your account is proven. Go on: {back.act}.</p>
          ) : (
            <p className="notice bad">
              You came back without a proven account (<code>{back.error}</code>).
            </p>
          ))}
      </div>
      {connection === undefined ? (
        <Connect wallets={wallets} onPress={connect} />
      ) : (
        <Connected connection={connection} onChange={setConnection} />
      )}
      <div role="alert">{problem !== undefined && <p className="notice bad">{problem}</p>}</div>
    </main>
  );
}

function Connect(props: {
  readonly wallets: readonly AnnouncedWallet[];
  readonly onPress: (wallet: AnnouncedWallet) => void;
}) {
  if (props.wallets.length === 0) return <p className="notice bad">There is no wallet in this browser.</p>;
  return (
    <section>
      <h2>Your wallet</h2>
      {props.wallets.map((wallet) => (
        <button key={wallet.info.rdns} type="button" onClick={() => props.onPress(wallet)}>
          Connect {wallet.info.name}
        </button>
      ))}
    </section>
  );
}

function Connected(props: {
  readonly connection: Connection;
  readonly onChange: (connection: Connection) => void;
}) {
  const { wallet, accounts, account } = props.connection;
  const connected = { wallet: wallet.provider, rdns: wallet.info.rdns, account };
  return (
    <>
      <section>
        <h2>Your wallet</h2>
        <label>
          Account of {wallet.info.name}
          <select
            value={account}
            onChange={({ target }) => props.onChange({ ...props.connection, account: target.value })}
          >
            {accounts.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </section>
      <Claim key={`claim ${account}`} {...connected} />
      <Deposit key={`deposit ${account}`} {...connected} />
    </>
  );
}
