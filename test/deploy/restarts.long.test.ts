import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { development } from "../../packages/protocol/development.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { needProxy, startProxy } from "../fixtures/deploy/proxies.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { npmProject } from "../fixtures/packages/npmProject.ts";
import { type RunningProcess, startProcess } from "../fixtures/process.ts";
import { signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { engines } from "../fixtures/signer/stores.ts";
import { cleanEnvironment } from "../fixtures/tasks/hardhat.ts";
import { spawnIdentitySigner } from "../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** A client's request, and the status that a replica answers with. */
interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly status: number;
}

const verification = "/v1/onchain_verifications";

describe("Two replicas behind the shipped proxy, under load", function () {
  this.timeout(600_000);

  before(function () {
    needProxy(this, "haproxy");
  });

  async function fixture() {
    const { databaseUrl = "" } = (await engines.PostgreSQL?.()) ?? {};
    const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
    const replicas = [await startReplica(stack.environment), await startReplica(stack.environment)];
    const [one = "", two = ""] = replicas.map((replica) => replica.url);
    // However slow the machine is, nothing is late.
    const change = (text: string) =>
      text.replaceAll(/timeout (connect|check|queue|server|client|http-request) \w+/g, "timeout $1 60s");
    const { url } = await startProxy("haproxy", [one, two], { change });
    const { wallet, address } = await stack.participate();
    const body = JSON.stringify(await signedRequest(wallet, address));
    while ((await ask(new Agent(), url, { method: "GET", path: "/readyz", status: 200 })) !== undefined) {
      await delay(50);
    }
    return { url, replicas, body, environment: stack.environment };
  }

  /** The programs of two packed and installed releases. The second one's page has another title. */
  async function installReleases(): Promise<[release: string, next: string]> {
    const { folder, install } = await npmProject();
    await install("--ignore-scripts", "--omit=optional", "identity-signer", "secp256k1");
    const other = join(await temporaryFolder(), "next");
    cpSync(folder, other, { recursive: true, verbatimSymlinks: true });
    const page = join(other, "node_modules/@hardhat-identity/verify-page/page/index.html");
    const html = readFileSync(page, "utf8");
    writeFileSync(page, html.replace(/<title>.*?<\/title>/, "<title>Next release</title>"));
    const program = "node_modules/identity-signer/cli/identity-signer.js";
    return [join(folder, program), join(other, program)];
  }

  /** A replica at a port that stays its own. */
  async function startReplica(environment: Readonly<Record<string, string>>) {
    const port = await findFreePort();
    const start = async (program?: string) => {
      const env = {
        IDENTITY_LOG_LEVEL: "debug",
        IDENTITY_RATE_LIMIT: "0",
        IDENTITY_WALLET_RATE_LIMIT: "0",
        IDENTITY_PORT: String(port),
        IDENTITY_TRUST_PROXY: "loopback",
        ...environment,
      };
      const started =
        program === undefined
          ? spawnIdentitySigner([], env)
          : startProcess(process.execPath, [program], { env: cleanEnvironment(env) });
      await started.waitFor(/"listening"/);
      return started;
    };
    let running: RunningProcess = await start();
    return {
      url: `http://127.0.0.1:${port}`,
      /** Ends it, starts it again, from a release if one is named, and waits until the proxy sends requests there. */
      async restart(signal: "SIGTERM" | "SIGKILL", program?: string) {
        const before = running;
        await before.stop(signal);
        running = await start(program);
        await running.waitFor(/"route":"\/v1\/onchain_verifications","status":200/);
        return before.output();
      },
    };
  }

  /** The problem with the answer; undefined if there is none. */
  function ask(agent: Agent, url: string, { method, path, body = "", status }: Asked) {
    return new Promise<string | undefined>((resolve) => {
      const headers = body === "" ? {} : { "content-type": "application/json" };
      const fail = (problem: unknown) => resolve(`${method} ${path}: ${problem}`);
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        text(response).then((answer) => {
          if (response.statusCode === status) resolve(undefined);
          else fail(`${response.statusCode} ${answer}`);
        }, fail);
      });
      sent.once("error", fail).end(body);
    });
  }

  /** Has clients, each at an address of its own, ask in turn until they are stopped. */
  function startLoad(url: string, everything: readonly Asked[]) {
    const problems: string[] = [];
    let answered = 0;
    let isOver = false;
    async function keepAsking(number: number): Promise<void> {
      const agent = new Agent({ keepAlive: true, localAddress: `127.0.0.${2 + number}` });
      // The proxy takes thirty requests a second of one address.
      for (let i = number; !isOver; i++, await delay(50)) {
        const problem = await ask(agent, url, everything[i % everything.length] as Asked);
        if (problem !== undefined) problems.push(problem);
        else answered++;
      }
      agent.destroy();
    }
    const clients = Array.from({ length: 8 }, (_, number) => keepAsking(number));
    const stop = async () => {
      isOver = true;
      await Promise.all(clients);
      return { problems, answered };
    };
    onCleanup(stop);
    return { stop };
  }

  const reads = ["/", "/openapi.json", "/verify", "/verify/overview", "/.well-known/onchain-verifications"];
  const repeated = (body: string): Asked[] =>
    reads.flatMap((path) => [
      { method: "POST", path: verification, body, status: 200 },
      { method: "GET", path, status: path === "/" ? 404 : 200 },
    ]);

  it("are restarted one after the other, and not one request fails", async () => {
    const { url, replicas, body } = await fixture();
    // Include a request that the proxy does not repeat.
    const once: Asked = { method: "POST", path: "/verify/keep", body: "{}", status: 403 };
    const load = startLoad(url, [...repeated(body), once]);
    for (let round = 0; round < 2; round++) {
      for (const replica of replicas) {
        const output = await replica.restart("SIGTERM");
        // The proxy was told before the replica went.
        expect(output).to.match(/"ending soon.*"route":"\/readyz","status":503.*"ended"/s);
      }
    }
    const { problems, answered } = await load.stop();
    expect(problems).to.deep.equal([]);
    expect(answered).to.be.above(100);
  });

  it("are upgraded to another release and rolled back, one after the other, and not one request fails", async () => {
    const { url, replicas, body, environment } = await fixture();
    const [release, next] = await installReleases();
    const migrate = async (program: string, ...args: string[]) => {
      const env = cleanEnvironment({ ...environment, IDENTITY_MASTER_SECRET: development.masterSecret });
      const { stdout } = await promisify(execFile)(process.execPath, [program, "migrate", ...args], { env });
      return stdout;
    };
    const load = startLoad(url, repeated(body));
    for (const replica of replicas) await replica.restart("SIGTERM", release);
    const shown = new Set<string | undefined>();
    for (const [program, ...args] of [[next], [release, "--status"]] as const) {
      for (const replica of replicas) {
        expect(await migrate(program, ...args)).not.to.include("of a later release");
        await replica.restart("SIGTERM", program);
        const page = await fetch(`${replica.url}/verify`);
        shown.add(/<title>(.*?)<\/title>/.exec(await page.text())?.[1]);
      }
    }
    const { problems, answered } = await load.stop();
    expect(problems).to.deep.equal([]);
    expect(answered).to.be.above(100);
    expect(shown).to.deep.equal(new Set(["Next release", "Verify your account"]));
  });

  it("are killed one after the other, and not one request fails that may be repeated", async () => {
    const { url, replicas, body } = await fixture();
    const load = startLoad(url, repeated(body));
    for (let round = 0; round < 3; round++) {
      for (const replica of replicas) await replica.restart("SIGKILL");
    }
    const { problems, answered } = await load.stop();
    expect(problems).to.deep.equal([]);
    expect(answered).to.be.above(100);
  });
});
