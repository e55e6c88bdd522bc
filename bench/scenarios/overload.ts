import { AbiCoder, concat, JsonRpcProvider } from "ethers";
import { maxMessageBytes } from "../../protocol/signIn/limit.ts";
import { type Statuses, startFlood } from "../load/flood.ts";
import type { LoadOutcome } from "../load/task.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured, type Row, target } from "../report/report.ts";
import type { Chain } from "../stage/chain.ts";
import { createPeople, signRequests } from "../stage/people.ts";
import { setStage } from "../stage/stage.ts";

/** How many requests the flood has under way. */
const connections = 128;
/** Milliseconds between the other client's answer and its next request. */
const pause = 5;

/** How long a client waits while another one sends the worst that the limits allow, and while nobody else does. */
export async function overload(options: Options): Promise<Measured> {
  const stage = await setStage(options, { consumers: 33 });
  try {
    const { people, chain } = stage.setting;
    const [consumer = "", ...others] = chain.consumers;
    await burnGas(chain, others);
    const server = await stage.startService({ name: "service" });
    const requests = signRequests(people.length, { people, chain, consumers: [consumer] });
    const ask = (seconds: number) => stage.load(server, { kind: "idle", pause }, { requests, seconds });

    options.onStep("One client alone");
    await ask(options.warmUp);
    const usual = await ask(2 * options.seconds);
    const rows: Row[] = [{ name: "nothing", values: describe(usual, usual) }];
    for (const [name, bodies] of Object.entries(worst(chain, consumer, others))) {
      options.onStep(`One client while another sends ${name}`);
      const flood = startFlood({ url: server.url, from: "127.0.0.1", bodies, connections });
      const outcome = await ask(2 * options.seconds);
      const statuses = await flood.stop();
      rows.push({ name, values: { ...describe(outcome, usual), ...count(statuses) } });
    }
    const times = (row: Row) => row.values.times ?? Number.NaN;
    return {
      notes: [
        ...stage.notes,
        `One client asks for a verification, one request at a time, ${pause} ms after the answer before; each must be answered, and rightly. Another one, at another address, has ${connections} requests under way all the time.`,
      ],
      columns: [
        { key: "p50", heading: "p50, ms", digits: 1 },
        { key: "p99", heading: "p99, ms", digits: 1 },
        { key: "times", heading: "times the usual p99", digits: 1 },
        { key: "checked", heading: "answers", digits: 0 },
        { key: "judged", heading: "the other's, judged", digits: 0 },
        { key: "overloaded", heading: "the other's, 503", digits: 0 },
      ],
      rows,
      targets: rows
        .slice(1)
        .map((row) =>
          target(
            `Under 5 times the usual p99 while another sends ${row.name}`,
            times(row),
            { under: 5 },
            (value) => `${formatNumber(value, 1)} times`,
          ),
        ),
    };
  } finally {
    await stage.close();
  }
}

const describe = ({ p50, p99, checked }: LoadOutcome, usual: LoadOutcome) => ({
  p50,
  p99,
  times: p99 / usual.p99,
  checked,
});

function count(statuses: Statuses) {
  const { 503: overloaded = 0, ...others } = statuses;
  return { overloaded, judged: Object.values(others).reduce((sum, some) => sum + some, 0) };
}

/**
 * Has contracts use up the gas that they are given, but for what it takes to answer: a failure would spare the node what
 * follows.
 */
async function burnGas({ rpcUrl, chainId }: Chain, consumers: readonly string[]): Promise<void> {
  // JUMPDEST: while the gas that is left is above 20 000, back to it; then RETURN a word of nothing.
  const code = "0x5b614e205a1160005760206000f3";
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true });
  try {
    for (const consumer of consumers) await provider.send("hardhat_setCode", [consumer, code]);
  } finally {
    provider.destroy();
  }
}

/** The worst of each kind: for the service's own time, and for the node's. */
function worst(
  chain: Chain,
  consumer: string,
  burning: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const strangers = createPeople(64);
  const messages = signRequests(64, { people: strangers, chain, consumers: [consumer] }).map(
    ({ body }): string => JSON.parse(body).message,
  );
  const long = messages.map((message) => {
    const resource = "\n- a://";
    return message + resource + "!".repeat(maxMessageBytes - message.length - resource.length);
  });
  const unsigned = `0x${"11".repeat(65)}`;
  const deployment = AbiCoder.defaultAbiCoder().encode(
    ["address", "bytes", "bytes"],
    [burning[0], "0x", "0x"],
  );
  const notYetThere = concat([deployment, `0x${"6492".repeat(16)}`]);
  const bodies = (texts: readonly string[], signature: string) =>
    texts.map((message) => JSON.stringify({ message, signature }));
  return {
    "long messages": bodies(long, unsigned),
    "long messages and deployments to simulate": bodies(long, notYetThere),
    "signed messages for contracts that burn all their gas": signRequests(64, {
      people: strangers,
      chain,
      consumers: burning,
    }).map(({ body }) => body),
    "requests that are no message": bodies(["a".repeat(15_000)], unsigned),
  };
}
