import { useEffect, useMemo, useState } from "preact/hooks";
import { announceWallet } from "../../wallet/announce.ts";
import { Heading } from "../shared/Heading.tsx";
import { ClaimPanel } from "./ClaimPanel.tsx";
import { connectNode } from "./chain.ts";
import { type DemoConfig, readConfig } from "./config.ts";
import { listConsumers, listEntryPoints } from "./consumers.ts";
import { PolicyPanel } from "./PolicyPanel.tsx";
import { type Place, type Return, readPlace, readReturn, writePlace } from "./place.ts";
import { Tries } from "./Tries.tsx";
import { useWalletChoice } from "./useWalletChoice.ts";
import { WalletPanel } from "./WalletPanel.tsx";

/** The demo: a wallet, a contract, a claim, and what travels. */
export function App() {
  const [config, setConfig] = useState<DemoConfig>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    readConfig().then(setConfig, (error) => setProblem(String(error)));
  }, []);
  return (
    <>
      <p>
        <span class="tag">A local demonstration: nothing here is real</span>
      </p>
      <Heading focus={false}>One person, one claim</Heading>
      <p>
        A contract lets every real person in once, and learns nothing about them. Go through it here, and see
        what your own app would send and get.
      </p>
      {problem && <p class="notice bad">{problem}</p>}
      {config && <Demo config={config} />}
    </>
  );
}

// Read once: looking at it takes the state away.
const comingBack = readReturn();

function Demo({ config }: { config: DemoConfig }) {
  const [place, setPlace] = useState<Place>(readPlace);
  const node = useMemo(() => connectNode(config.rpcUrl), [config]);
  const move = (change: Place) => setPlace((before) => ({ ...before, ...change }));
  useEffect(() => writePlace(place), [place]);
  useEffect(() => void announceWallet({ rpcUrl: config.rpcUrl }), [config]);
  const choice = useWalletChoice(config, node, place, move);

  const examples = listConsumers({
    ...config.consumers,
    ...(place.ballot === undefined ? {} : { Ballot: place.ballot }),
  });
  const consumers = [...(config.own ?? []).flatMap(listEntryPoints), ...examples];
  const consumer = consumers.find(({ name }) => name === place.consumer) ?? consumers[0];
  if (consumer === undefined) return <p class="notice bad">No example contract is deployed.</p>;
  return (
    <>
      <div role="status">{comingBack && <Welcome back={comingBack} />}</div>
      <WalletPanel config={config} choice={choice} />
      <PolicyPanel
        config={config}
        node={node}
        consumers={consumers}
        consumer={consumer}
        choice={choice}
        move={move}
      />
      <ClaimPanel
        key={`${consumer.address} ${choice.account}`}
        config={config}
        node={node}
        consumer={consumer}
        choice={choice}
      />
      <Tries />
    </>
  );
}

function Welcome({ back }: { back: Return }) {
  return back.succeeded ? (
    <p class="notice good">You are back, and your account is proven. Claim again.</p>
  ) : (
    <p class="notice bad">
      You are back without a proven account; the verify page says <code>{back.error}</code>.
    </p>
  );
}
