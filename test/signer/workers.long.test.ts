import { chmod } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { type Contract, Wallet } from "ethers";
import { development } from "../../protocol/development.ts";
import type { SignedVerification } from "../../protocol/verification.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { type RunningProcess, startProcess } from "../fixtures/process.ts";
import { rejection } from "../fixtures/rejection.ts";
import { recoverSigner } from "../fixtures/signer/rotation.ts";
import { signedRequest } from "../fixtures/signer/signIn.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A service with several workers", function () {
  this.timeout(120_000);

  /** A chain behind a proxy, a consumer there, and what a service of two workers is started with. */
  async function environment() {
    const { rpcUrl, registry, deployer } = await serveChainWithRegistry();
    const proxy = await serveProxy(rpcUrl);
    const consumer = await deploy(deployer, "IncentiveProgram", [await registry.getAddress()]);
    const file = join(await temporaryFolder(), "identity.sqlite");
    const env: Record<string, string> = {
      IDENTITY_RPC_URL: proxy.url,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_DATABASE_URL: `file:${file}`,
      IDENTITY_PORT: "0",
      IDENTITY_WORKERS: "2",
      IDENTITY_TRUST_PROXY: "1",
      IDENTITY_RATE_LIMIT: "20",
      IDENTITY_WALLET_RATE_LIMIT: "10",
    };
    /** A wallet that has what the consumer demands. */
    async function addWallet() {
      const store = await openCredentialStore({
        databaseUrl: `file:${file}`,
        masterSecret: development.masterSecret,
      });
      const wallet = Wallet.createRandom();
      await store.set({
        wallet: wallet.address,
        provider: "microblog",
        accountId: wallet.address,
        traits: { followers: "2000" },
        authenticatedAt: Math.floor(Date.now() / 1000),
      });
      await store.close();
      return wallet;
    }
    return { env, file, proxy, registry, consumer: await consumer.getAddress(), addWallet };
  }

  /** Starts what `identity-signer` is, and does not wait. */
  const launch = (env: Record<string, string>) =>
    startProcess(process.execPath, ["tasks/identity-signer.ts"], { cwd: root, env: cleanEnvironment(env) });

  /** Starts it, and waits until it tells where it listens. */
  async function start(env: Record<string, string>) {
    const service = launch(env);
    const { url } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
    return { ...service, url: String(url) };
  }

  const logOf = (service: RunningProcess) =>
    service
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { worker?: number; pid?: number; msg: string; requestId?: string });

  /** The process that serves as a worker now. */
  function pidOf(service: RunningProcess, number: number): number {
    const lines = logOf(service).filter(({ worker, msg }) => worker === number && msg === "A worker serves.");
    const pid = lines.at(-1)?.pid;
    if (pid === undefined) throw new Error(`There is no worker ${number}.`);
    return pid;
  }

  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  /** Waits until something is so; the test's own timeout is the limit. */
  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await setTimeout(20);
  }

  /** Sends a request for a verification on a connection of its own, unless there is an agent that keeps one. */
  function post(url: string, body: unknown, options: { client?: string; agent?: Agent } = {}) {
    const { client = "192.0.2.1", agent = false } = options;
    const sent = request(`${url}/v1/onchain_verifications`, {
      method: "POST",
      agent,
      headers: { "content-type": "application/json", "x-forwarded-for": client },
    });
    sent.end(JSON.stringify(body));
    const answer = new Promise<{ status: number; reset: number; body: Record<string, unknown> }>(
      (resolve, reject) => {
        sent.once("error", reject).once("response", async (response) => {
          const [, reset] = /;t=(\d+)/.exec(String(response.headers.ratelimit)) ?? [];
          const answered = (await json(response)) as Record<string, unknown>;
          resolve({ status: response.statusCode ?? 0, reset: Number(reset), body: answered });
        });
      },
    );
    return { answer, sent: new Promise<void>((resolve) => sent.once("finish", resolve)) };
  }

  const times = <Each>(count: number, make: (index: number) => Each): Each[] =>
    Array.from({ length: count }, (_, index) => make(index));

  /**
   * Sends many at once, within one minute of the limits: where a new one begins, or the machine has too much to do, again,
   * as somebody else.
   */
  async function countStatuses(
    send: (attempt: number, index: number) => Promise<{ status: number; reset: number }>,
  ) {
    for (let attempt = 1; ; attempt++) {
      const before = await send(attempt, 0);
      const answers = [before, ...(await Promise.all(times(59, (index) => send(attempt, index + 1))))];
      const after = await send(attempt, 60);
      if (after.reset > before.reset || answers.some(({ status }) => status === 503)) continue;
      const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
      return { count, attempts: attempt };
    }
  }

  async function scrape(url: string, client: string): Promise<Record<string, number>> {
    const response = await fetch(`${url}/metrics`, { headers: { "x-forwarded-for": client } });
    expect(response.status).to.equal(200);
    const samples = [...(await response.text()).matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)];
    return Object.fromEntries(samples.map(([, name, value]) => [name, Number(value)]));
  }

  const issued = 'identity_verifications_total{result="issued"}';

  describe("that runs", () => {
    let stack: Awaited<ReturnType<typeof environment>>;
    let service: Awaited<ReturnType<typeof start>>;

    before(async () => {
      stack = await environment();
      service = await start(stack.env);
    });

    it("tells once where it listens, shares its connections out in turn, and numbers its workers in the log", async () => {
      const client = "198.51.100.1";
      expect(logOf(service).filter(({ msg }) => msg === "listening")).to.have.length(1);
      const body = await signedRequest(await stack.addWallet(), stack.consumer);
      for (let i = 0; i < 6; i++)
        expect((await post(service.url, body, { client }).answer).status).to.equal(200);
      await until(() => logOf(service).filter(({ requestId }) => requestId).length >= 6);
      const workers = logOf(service)
        .filter(({ requestId }) => requestId)
        .map(({ worker }) => worker);
      for (const worker of [1, 2]) expect(workers.filter((each) => each === worker).length).to.be.at.least(2);
    });

    it("limits a client, and a wallet, over all workers together, to the request", async () => {
      const clients = await countStatuses(
        (attempt) => post(service.url, {}, { client: `198.51.101.${attempt}` }).answer,
      );
      expect([clients.count(400), clients.count(429)]).to.deep.equal([20, 40]);

      const bodies: object[] = [];
      const wallets = await countStatuses(async (attempt, index) => {
        bodies[attempt] ??= await signedRequest(await stack.addWallet(), stack.consumer);
        return post(service.url, bodies[attempt], { client: `203.0.${attempt}.${index}` }).answer;
      });
      expect([wallets.count(200), wallets.count(429)]).to.deep.equal([10, 50]);
    });

    it("adds up what its workers count", async () => {
      const client = "198.51.102.1";
      const body = await signedRequest(await stack.addWallet(), stack.consumer);
      const before = await scrape(service.url, client);
      await Promise.all(times(8, () => post(service.url, body, { client }).answer));
      for (let i = 0; i < 2; i++) {
        const after = await scrape(service.url, client);
        expect((after[issued] ?? 0) - (before[issued] ?? 0)).to.equal(8);
        expect(after.identity_workers).to.equal(2);
        expect(after['identity_ready{check="signer"}']).to.equal(1);
      }
    });

    it("has a worker in the place of one that is killed, and forgets nothing that was counted", async () => {
      const client = "198.51.103.1";
      const body = await signedRequest(await stack.addWallet(), stack.consumer);
      await Promise.all(times(4, () => post(service.url, body, { client }).answer));
      const before = await scrape(service.url, client);
      const killed = pidOf(service, 1);
      process.kill(killed, "SIGKILL");
      await until(() => pidOf(service, 1) !== killed);
      const line = logOf(service).find(({ msg }) => msg.startsWith("A worker ended"));
      expect(line).to.include({ worker: 1, how: "SIGKILL" });
      await Promise.all(times(4, () => post(service.url, body, { client }).answer));
      const after = await scrape(service.url, client);
      expect((after[issued] ?? 0) - (before[issued] ?? 0)).to.equal(4);
      expect(after.identity_workers).to.equal(2);
    });

    it("says once that its port is in use, starts no worker, and ends with 1", async () => {
      const { port } = new URL(service.url);
      const second = launch({ ...stack.env, IDENTITY_PORT: port });
      expect(await second.ended).to.equal(1);
      expect(second.output()).to.equal(
        `Port ${port} on 127.0.0.1 is in use; choose another one (IDENTITY_PORT).\n`,
      );
    });
  });

  it("answers every request that was sent before it is told to stop, and ends with 0", async () => {
    const { env, proxy, consumer, addWallet } = await environment();
    const service = await start({ ...env, IDENTITY_RATE_LIMIT: "0", IDENTITY_WALLET_RATE_LIMIT: "0" });
    const body = await signedRequest(await addWallet(), consumer);
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    onCleanup(() => agent.destroy());
    await Promise.all(times(10, () => post(service.url, body, { agent }).answer));
    const workers = [1, 2].map((number) => pidOf(service, number));

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.behaviour = { answer: () => held };
    const requests = times(40, (index) => post(service.url, body, index < 10 ? { agent } : {}));
    await Promise.all(requests.map(({ sent }) => sent));
    // A terminal tells the workers, too.
    for (const pid of workers) process.kill(pid, "SIGTERM");
    const stopped = service.stop("SIGTERM");
    await until(async () => {
      const connecting = fetch(`${service.url}/healthz`);
      return connecting.then(() => false).catch(() => true);
    });
    release();
    for (const { answer } of requests) expect((await answer).status).to.equal(200);
    expect(await stopped).to.equal(0);
    expect(workers.filter(isRunning)).to.deep.equal([]);
  });

  it("has every worker change over to its next signing key when the registry has that", async () => {
    const { env, registry, consumer, addWallet } = await environment();
    const next = Wallet.fromPhrase("test test test test test test test test test test test junk");
    const service = await start({ ...env, IDENTITY_NEXT_SIGNING_KEY: next.privateKey });
    const wallet = await addWallet();
    const body = await signedRequest(wallet, consumer);
    const signerOf = (verification: Record<string, unknown>) =>
      recoverSigner(registry as Contract, {
        ...{ consumer, user: wallet.address },
        ...(verification as unknown as SignedVerification),
      });
    // Connections are handed to the workers in turn.
    const askAll = () =>
      Promise.all(times(2, async () => signerOf((await post(service.url, body).answer).body)));
    expect(await askAll()).to.deep.equal([development.signer, development.signer]);
    await (await (registry as Contract).getFunction("addSigner")(next.address)).wait();
    expect(await askAll()).to.deep.equal([next.address, next.address]);
    const told = () =>
      logOf(service).filter(({ msg }) => msg.startsWith(`The next signer ${next.address} signs.`));
    await until(() => told().length === 2);
    expect(told().map(({ worker }) => worker)).to.have.members([1, 2]);
    const metrics = await scrape(service.url, "198.51.100.9");
    expect(metrics[`identity_signer{signer="${next.address}"}`]).to.equal(1);
    expect(metrics[`identity_signer{signer="${development.signer}"}`]).to.equal(0);
  });

  it("does not outlive its parent, which cannot say goodbye", async () => {
    const service = await start((await environment()).env);
    const workers = [1, 2].map((number) => pidOf(service, number));
    await service.stop("SIGKILL");
    await until(() => !workers.some(isRunning));
    expect((await rejection(fetch(service.url))).cause).to.have.property("code", "ECONNREFUSED");
  });

  it("tries again for a worker that does not start, and ends when there is none", async () => {
    const { env, file } = await environment();
    const service = await start(env);
    await chmod(file, 0o666);
    process.kill(pidOf(service, 1), "SIGKILL");
    await service.waitFor(/"worker":1,"reason":"The database file [^}]*A worker does not start/);
    for (let i = 0; i < 4; i++) expect((await post(service.url, {}).answer).status).to.equal(400);
    const [first, second] = [1, 2].map((number) => pidOf(service, number));
    await chmod(file, 0o600);
    await until(() => pidOf(service, 1) !== first);

    await chmod(file, 0o666);
    process.kill(pidOf(service, 1), "SIGKILL");
    process.kill(second ?? 0, "SIGKILL");
    expect(await service.ended).to.equal(1);
    const last = service.output().trim().split("\n").at(-1);
    expect(last).to.match(/^The database file .* is one that /);
  });

  it("says once what is wrong when it cannot start, leaves no process, and ends with 1", async () => {
    const { env } = await environment();
    const service = launch({ ...env, IDENTITY_DATABASE_URL: "file:missing/identity.sqlite" });
    expect(await service.ended).to.equal(1);
    expect(service.output()).to.match(/^The database file missing\/identity\.sqlite cannot be used: .*\n$/);
  });
});
