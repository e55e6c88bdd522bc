// `node bench/overload.ts [seconds]`: how long a client waits for a verification while another one sends the worst that
// the limits allow, and while nobody else does. The chain, the service and each client have a process of their own; the
// machine should have little else to do. Prints what it measured, and fails when the slowest hundredth takes five times
// as long as usual.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AbiCoder, concat, hexlify, Interface, JsonRpcProvider, randomBytes, Wallet } from "ethers";
import { buildSignInMessage } from "../protocol/signIn/build.ts";
import { maxMessageBytes } from "../protocol/signIn/limit.ts";
import { openCredentialStore } from "../signer/index.ts";
import { quantile } from "./quantile.ts";
import { hardhatCli, root } from "./repository.ts";

/** What a client sends to whom, from which of the machine's addresses, how many at a time, and for how long. */
interface Task {
  readonly url: string;
  readonly from: string;
  readonly bodies: readonly string[];
  readonly atOnce: number;
  readonly seconds: number;
  /** Milliseconds between an answer and the next request. */
  readonly pause: number;
}

interface Outcome {
  /** Milliseconds of each request. */
  readonly took: readonly number[];
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const hardhat = (...args: string[]): [string, string[], { cwd: string }] => [
  process.execPath,
  [hardhatCli, ...args],
  { cwd: root },
];

async function measure(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hardhat-identity-overload-"));
  const stack = start({}, "identity", "dev", "--json", "--rpc-port", "0", "--port", "0");
  const processes = [stack];
  try {
    const { rpcUrl, registry, consumers } = await readLine(stack);
    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    // With secrets of its own, as on any chain but a developer's, where nothing that was read is kept.
    const signingKey = Wallet.createRandom();
    const masterSecret = hexlify(randomBytes(32));
    const chain = await openChain(rpcUrl);
    await chain.addSigner(registry, signingKey.address);
    const wallet = Wallet.createRandom();
    await storeCredential({ databaseUrl, masterSecret, wallet: wallet.address });
    const service = start(
      {
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: registry,
        IDENTITY_DATABASE_URL: databaseUrl,
        IDENTITY_SIGNING_KEY: signingKey.privateKey,
        IDENTITY_MASTER_SECRET: masterSecret,
        IDENTITY_PORT: "0",
        IDENTITY_RATE_LIMIT: "0",
        IDENTITY_WALLET_RATE_LIMIT: "0",
        IDENTITY_LOG_LEVEL: "warn",
      },
      ...["identity", "serve", "--json"],
    );
    processes.push(service);
    const { signerUrl } = await readLine(service);
    const consumer = String(consumers.IncentiveProgram);
    const message = buildMessage(wallet.address, consumer);
    const good = JSON.stringify({ message, signature: await wallet.signMessage(message) });
    const url = `${signerUrl}/v1/onchain_verifications`;
    const usual: Task = { url, from: "127.0.0.1", bodies: [good], atOnce: 1, seconds, pause: 5 };
    await run({ ...usual, seconds: 3 });
    const alone = await run(usual);
    report("usual", alone);
    const limit = 5 * quantile(alone.took, 0.99);
    const loops: string[] = [];
    for (let i = 0; i < 32; i++) loops.push(await chain.deployEndlessLoop());
    chain.close();
    for (const [name, bodies] of Object.entries(await worst(consumer, loops))) {
      const flood = run({ ...usual, from: "127.0.0.2", bodies, atOnce: 128, pause: 0, seconds: seconds + 1 });
      const meanwhile = await run(usual);
      report(`while another sends ${name}`, meanwhile);
      report("  (the other)", await flood);
      if (quantile(meanwhile.took, 0.99) >= limit || meanwhile.statuses["200"] !== meanwhile.took.length) {
        console.error(
          `Another client's requests must all be answered, and p99 stay under ${limit.toFixed(1)} ms.`,
        );
        process.exitCode = 1;
      }
    }
  } finally {
    for (const process of processes.reverse()) {
      process.kill("SIGTERM");
      await once(process, "close");
    }
    await rm(folder, { recursive: true });
  }
}

/** Starts a task of Hardhat's. */
function start(env: Record<string, string>, ...args: string[]): ChildProcess {
  const [command, all, options] = hardhat(...args);
  return spawn(command, all, {
    ...options,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

interface ReadyLine {
  readonly rpcUrl: string;
  readonly registry: string;
  readonly signerUrl: string;
  readonly consumers: Readonly<Record<string, string>>;
}

/** What a task says when it is ready. */
async function readLine({ stdout }: ChildProcess): Promise<ReadyLine> {
  if (stdout === null) throw new Error("The task's output cannot be read.");
  for await (const line of createInterface(stdout)) {
    if (line.startsWith("{")) return JSON.parse(line);
  }
  throw new Error("The task did not start.");
}

/** A node, as its first account uses it. */
async function openChain(rpcUrl: string) {
  const provider = new JsonRpcProvider(rpcUrl, 84532, { staticNetwork: true, cacheTimeout: -1 });
  const owner = await provider.getSigner(0);
  return {
    async addSigner(registry: string, signer: string): Promise<void> {
      const data = new Interface(["function addSigner(address)"]).encodeFunctionData("addSigner", [signer]);
      await (await owner.sendTransaction({ to: registry, data })).wait();
    },
    /** A contract that uses up the gas that it is given, but for what it takes to answer: a failure would spare what follows. */
    async deployEndlessLoop(): Promise<string> {
      // The code that is returned: as long as GAS is GT 20 000, JUMPI to the start; then RETURN a word of nothing.
      const sent = await owner.sendTransaction({
        data: "0x6d5b614e205a1160005760206000f3600052600e6012f3",
      });
      return String((await sent.wait())?.contractAddress);
    },
    close: () => provider.destroy(),
  };
}

async function storeCredential(input: { databaseUrl: string; masterSecret: string; wallet: string }) {
  const { wallet } = input;
  const store = await openCredentialStore(input);
  const authenticatedAt = Math.floor(Date.now() / 1000);
  const traits = { followers: "1000000" };
  await store.set({ wallet, provider: "microblog", accountId: "1", traits, authenticatedAt });
  await store.close();
}

const buildMessage = (address: string, consumer: string) =>
  buildSignInMessage({
    domain: "app.example",
    uri: "https://app.example/claim",
    chainId: 84532,
    nonce: "8f3a1c77d0b2",
    issuedAt: new Date(),
    address,
    consumer,
  });

/** The worst of each kind: for the service's own time, and for the node's. */
async function worst(consumer: string, loops: readonly string[]): Promise<Record<string, string[]>> {
  const wallets = Array.from({ length: 64 }, () => Wallet.createRandom());
  const messages = wallets.map(({ address }) => buildMessage(address, consumer));
  const long = messages.map((message) => {
    const resource = "\n- a://";
    return message + resource + "!".repeat(maxMessageBytes - message.length - resource.length);
  });
  const unsigned = `0x${"11".repeat(65)}`;
  const deployment = AbiCoder.defaultAbiCoder().encode(["address", "bytes", "bytes"], [loops[0], "0x", "0x"]);
  const notYetThere = concat([deployment, `0x${"6492".repeat(16)}`]);
  const bodies = (texts: string[], signature: string) =>
    texts.map((message) => JSON.stringify({ message, signature }));
  const endless = wallets.map(async (wallet, i) => {
    const message = buildMessage(wallet.address, String(loops[i % loops.length]));
    return JSON.stringify({ message, signature: await wallet.signMessage(message) });
  });
  return {
    "long messages": bodies(long, unsigned),
    "long messages and deployments to simulate": bodies(long, notYetThere),
    "signed messages for contracts that burn all their gas": await Promise.all(endless),
    "requests that are no message": bodies(["a".repeat(15_000)], unsigned),
  };
}

async function run(task: Task): Promise<Outcome> {
  const client = fork(fileURLToPath(import.meta.url), { cwd: root });
  client.send(task);
  const [outcome] = await once(client, "message");
  return outcome;
}

/** Sends as many at a time as it may until its time is over. */
async function send({ url, from, bodies, atOnce, seconds, pause }: Task): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, localAddress: from });
  const end = performance.now() + seconds * 1000;
  const took: number[] = [];
  const statuses: Record<string, number> = {};
  let next = 0;
  const one = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      const status = await post(url, bodies[next++ % bodies.length] ?? "", agent);
      took.push(performance.now() - started);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { took, statuses };
}

function post(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject).end(body);
  });
}

function report(name: string, { took, statuses }: Outcome): void {
  const at = (part: number) => `${quantile(took, part).toFixed(1)} ms`;
  const counts = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
  console.log(`${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} (${counts.join(", ")})`);
}

if (process.send === undefined) await measure(Number(process.argv[2] ?? 10));
else process.once("message", async (task: Task) => process.send?.(await send(task), () => process.exit()));
