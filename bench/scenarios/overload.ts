import { connect } from "node:net";
import { AbiCoder, concat } from "ethers";
import { maxMessageBytes } from "../../packages/protocol/signIn/limit.ts";
import { haproxy, startProxy } from "../cluster/proxy.ts";
import { setCode, withProvider } from "../environment/chain.ts";
import type { Environment } from "../environment/environment.ts";
import type { Options } from "../environment/options.ts";
import { createPeople } from "../environment/people.ts";
import { startGenerator } from "../load/generate.ts";
import type { LoadOutcome, PreparedRequest } from "../load/task.ts";
import { formatNumber, type Measured, type Row, type Target, target, words } from "../report/report.ts";

/** The attacker's concurrent requests: more than the connections that one address may have. */
const connections = 500;
/** All paths that can be read, and an unknown one. */
const paths = [
  "/",
  "/verify",
  "/openapi.json",
  "/.well-known/onchain-verifications",
  "/healthz",
  "/readyz",
  "/metrics",
  "/nothing",
];
/** Milliseconds between the other client's answer and its next request. */
const pauseMs = 5;
/** The same through the proxy: as seldom as its limit wants. */
const pauseAtProxyMs = 40;
const slowReader = "requests whose answers it does not read";

/** Measures how long a client waits alone, and while another one sends the worst requests that the limits allow. */
export async function overload(environment: Environment, options: Options): Promise<Measured> {
  const { nodeUrl, consumers } = environment.chain;
  const [, ...others] = consumers;
  // These contracts use up their gas, except for the rest needed to return: a failure would spare the node later calls.
  // Code: jump back to the JUMPDEST while more than 20,000 gas is left, then RETURN a word of zeros.
  await withProvider(nodeUrl, (node) => setCode(node, others, "0x5b614e205a1160005760206000f3"));
  const attacker = environment.keep(startGenerator());
  const requests = environment.sign(options.wallets);
  const seconds = 2 * options.seconds;
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const isBehindProxy of haproxy === undefined ? [false] : [false, true]) {
    const name = isBehindProxy ? "proxied" : "service";
    const service = await environment.startService({ name, isBehindProxy });
    const url = isBehindProxy ? await startProxy(environment, [new URL(service.url).host]) : service.url;
    const server = { ...service, url };
    const where = isBehindProxy ? ", through HAProxy" : "";
    const pace = { kind: "idle", pauseMs: isBehindProxy ? pauseAtProxyMs : pauseMs } as const;
    const ask = (seconds: number) => environment.load(server, pace, { requests, seconds });

    options.onStep(`One client alone${where}`);
    await ask(options.warmUp);
    const usual = await ask(seconds);
    const describe = ({ p50, p99, checked }: LoadOutcome) => ({ p50, p99, times: p99 / usual.p99, checked });
    const floods: Row[] = [];
    for (const [name, requests] of Object.entries(worst(environment, others))) {
      options.onStep(`One client while another sends ${name}${where}`);
      const attack = attacker.run({
        url: server.url,
        pid: server.pid,
        signing: environment.signing,
        connections,
        seconds,
        pace: { kind: "closed" },
        isAttack: true,
        requests,
      });
      const values = describe(await ask(seconds));
      const { checked, overloaded } = await attack;
      floods.push({ name: `${name}${where}`, values: { ...values, judged: checked, overloaded } });
    }
    options.onStep(`One client while another sends ${slowReader}${where}`);
    const reader = environment.keep(startSlowReader(server.url));
    floods.push({ name: `${slowReader}${where}`, values: describe(await ask(seconds)) });
    reader.stop();
    await service.stop();
    rows.push({ name: `nothing${where}`, values: describe(usual) }, ...floods);
    targets.push(judgeFloods(`Under 5 times the usual p99${where}`, floods));
  }
  return {
    notes: [
      `One client asks for a verification, one request at a time, ${pauseMs} ms after the answer before (${pauseAtProxyMs} ms through the proxy); each must be answered, and rightly. Another one, at another address, has ${connections} requests under way all the time.`,
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
    targets,
  };
}

/** Judges the flood with the greatest effect. */
function judgeFloods(promise: string, floods: readonly Row[]): Target {
  const times = floods.map(({ values }) => values.times ?? Number.NaN);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return target(promise, most, { under: 5 }, words(`times at most, ${formatNumber(least, 1)} at least`, 1));
}

/** Opens as many connections anew twice a second, and sends forty requests over each, without a look at an answer. */
function startSlowReader(url: string): { stop(): void } {
  const { hostname, port, host } = new URL(url);
  const asked = `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(40);
  const open = () => {
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    socket.pause().write(asked);
    return socket;
  };
  let sockets: ReturnType<typeof open>[] = [];
  const close = () => sockets.map((socket) => socket.destroy());
  const timer = setInterval(() => {
    close();
    sockets = Array.from({ length: connections }, open);
  }, 500);
  return {
    stop() {
      clearInterval(timer);
      close();
    },
  };
}

/** Returns the worst requests of each kind, for the service's own time and for the node's. */
function worst(
  { sign }: Environment,
  burning: readonly string[],
): Readonly<Record<string, readonly PreparedRequest[]>> {
  const people = createPeople(64);
  const long = sign(64, { people }).map(({ body }) => {
    const message: string = JSON.parse(body).message;
    const resource = "\n- a://";
    return message + resource + "!".repeat(maxMessageBytes - message.length - resource.length);
  });
  const types = ["address", "bytes", "bytes"];
  const deployment = AbiCoder.defaultAbiCoder().encode(types, [burning[0], "0x", "0x"]);
  const unsigned = `0x${"11".repeat(65)}`;
  const attack = (body: string, path?: string): PreparedRequest => ({
    body,
    user: "",
    policyHash: "",
    ...(path !== undefined && { path }),
  });
  const claim = (texts: readonly string[], signature: string) =>
    texts.map((message) => attack(JSON.stringify({ message, signature })));
  return {
    "long messages": claim(long, unsigned),
    // The signature of a contract that is not deployed yet, as in ERC-6492.
    "long messages and deployments to simulate": claim(long, concat([deployment, `0x${"6492".repeat(16)}`])),
    "signed messages for contracts that burn all their gas": sign(64, { people, consumers: burning }),
    "requests with a bad message": claim(["a".repeat(15_000)], unsigned),
    "requests for every path": paths.map((path) => attack("", path)),
  };
}
