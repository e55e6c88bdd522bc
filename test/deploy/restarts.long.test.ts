import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { onCleanup } from "../fixtures/cleanup.ts";
import { needProxy, startProxy } from "../fixtures/deploy/proxies.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import type { RunningProcess } from "../fixtures/process.ts";
import { signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { engines } from "../fixtures/signer/stores.ts";
import { spawnIdentitySigner } from "../fixtures/tasks/identitySigner.ts";

/** What clients ask, and the status that a replica answers it with. */
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
    return { url, replicas, body };
  }

  /** A replica at a port that stays its own. */
  async function startReplica(environment: Readonly<Record<string, string>>) {
    const port = await findFreePort();
    const start = async () => {
      const env = {
        ...{ IDENTITY_LOG_LEVEL: "debug", IDENTITY_RATE_LIMIT: "0", IDENTITY_WALLET_RATE_LIMIT: "0" },
        ...{ IDENTITY_PORT: String(port), IDENTITY_TRUST_PROXY: "loopback", ...environment },
      };
      const started = spawnIdentitySigner([], env);
      await started.waitFor(/"listening"/);
      return started;
    };
    let running: RunningProcess = await start();
    return {
      url: `http://127.0.0.1:${port}`,
      /** Ends it, starts it again, and waits until the proxy sends requests there. */
      async restart(signal: "SIGTERM" | "SIGKILL") {
        const before = running;
        await before.stop(signal);
        running = await start();
        await running.waitFor(/"route":"\/v1\/onchain_verifications","status":200/);
        return before.output();
      },
    };
  }

  /** What was wrong with the answer; undefined when nothing was. */
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
    // Of what the proxy does not repeat, too.
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
