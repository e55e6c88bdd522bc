import { AbiCoder, concat } from "ethers";
import { useEffect, useState } from "preact/hooks";
import { type OnchainPolicy, readPolicy } from "../../chain/policy.ts";
import { waitForReceipt } from "../../client/index.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Condition } from "../../protocol/policy.ts";
import { useTask } from "../shared/useTask.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import type { Place } from "./place.ts";
import type { WalletChoice } from "./useWalletChoice.ts";

const signs: Readonly<Record<string, string>> = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** Which contract, and what it demands. */
export function PolicyPanel(props: {
  config: DemoConfig;
  node: Eip1193Connection;
  consumers: readonly Consumer[];
  consumer: Consumer;
  choice: WalletChoice;
  move: (change: Place) => void;
}) {
  const { config, node, consumers, consumer, choice, move } = props;
  const [found, setFound] = useState<OnchainPolicy>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setFound(undefined);
    setProblem(undefined);
    readPolicy(node, consumer.address).then(setFound, (error: Error) => setProblem(error.message));
  }, [node, consumer.address]);
  return (
    <section aria-labelledby="contract">
      <h2 id="contract">2. A contract, and what it demands</h2>
      <p class="choices">
        <label for="consumer">Contract</label>
        <select
          id="consumer"
          value={consumer.name}
          onChange={({ currentTarget }) => move({ consumer: currentTarget.value })}
        >
          {consumers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      <p>{consumer.purpose}</p>
      {problem && <p class="notice bad">{problem}</p>}
      <div class="card">
        <dl>
          <div>
            <dt>Address</dt>
            <dd>
              <code>{consumer.address}</code>
            </dd>
          </div>
          <div>
            <dt>Provider</dt>
            <dd>{found ? <code>{found.policy.provider}</code> : "…"}</dd>
          </div>
          <div>
            <dt>Conditions</dt>
            <dd>{found ? found.policy.conditions.map(writeCondition).join(", ") : "…"}</dd>
          </div>
          {found !== undefined && found.cutoffBlock > 0n && (
            <div>
              <dt>Proven since</dt>
              <dd>block {found.cutoffBlock.toString()}</dd>
            </div>
          )}
        </dl>
        <p class="quiet-text">Read from the chain: no caller can leave a condition out.</p>
      </div>
      {consumer.name === "Ballot" && (
        <NewBallot config={config} node={node} choice={choice} onOpen={(ballot) => move({ ballot })} />
      )}
    </section>
  );
}

const writeCondition = ({ name, op, value }: Condition) => `${name} ${signs[op] ?? op} ${value}`;

/** Opens another ballot: accounts that were proven before it are too old for it. */
function NewBallot(props: {
  config: DemoConfig;
  node: Eip1193Connection;
  choice: WalletChoice;
  onOpen: (address: string) => void;
}) {
  const { config, node, choice, onOpen } = props;
  const task = useTask(
    (error) => `The ballot was not opened: ${error instanceof Error ? error.message : error}`,
  );
  const { wallet, account } = choice;
  if (wallet === undefined || account === undefined || choice.isSameChain !== true) return null;
  const open = async () => {
    // A block of its own, so that the ballot is later than whatever was proven before it.
    await node.request({ method: "evm_mine" });
    const data = concat([
      config.ballotCode,
      AbiCoder.defaultAbiCoder().encode(["address"], [config.registry]),
    ]);
    const hash = await wallet.connection.request({
      method: "eth_sendTransaction",
      params: [{ from: account, data }],
    });
    const receipt = await waitForReceipt(wallet.connection, { hash: String(hash), interval: 200 });
    onOpen(String(Reflect.get(receipt, "contractAddress")));
  };
  return (
    <>
      <p>
        Accounts that were proven before a ballot opened are too old for it. Open another one to see that:
      </p>
      <button type="button" class="quiet" disabled={task.busy} onClick={() => task.run(open)}>
        Open a new ballot
      </button>
      <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
    </>
  );
}
