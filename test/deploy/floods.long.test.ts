import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { needProxy, startProxy } from "../fixtures/deploy/proxies.ts";
import { signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { engines } from "../fixtures/signer/stores.ts";
import { startIdentitySigner } from "../fixtures/tasks/identitySigner.ts";

/** The flooder's requests at a time, the other client's in a measurement, and the pause between those, in milliseconds. */
const [atOnce, measured, pause] = [20, 60, 50];

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A client at an address of its own. Returns the status, or what went wrong in its place. */
function clientAt(localAddress: string, url: string) {
  const agent = new Agent({ keepAlive: true, localAddress });
  const ask = ({ method, path, headers = {}, body }: Asked) =>
    new Promise<number | string>((resolve) => {
      const sent = request(`${url}${path}`, { method, agent, headers, timeout: 10_000 }, (response) => {
        text(response).then(
          () => resolve(response.statusCode ?? 0),
          (error) => resolve(String(error)),
        );
      });
      sent.once("timeout", () => sent.destroy(new Error("no answer in ten seconds")));
      sent.once("error", (error) => resolve(error.message)).end(body);
    });
  return { ask, leave: () => agent.destroy() };
}

/** As many cookies of the page's as a request may have: 16 kB. */
const cookies = (name: string, value = "") => {
  const listed = Array.from({ length: 800 }, (_, i) => `${name}-${i.toString(36)}=${value}`);
  return listed.join(";").slice(0, 15_500);
};

const floods: Readonly<Record<string, Asked>> = {
  "eight hundred cookies": {
    method: "GET",
    path: "/verify/overview",
    headers: { cookie: cookies("identity-proof") },
  },
};

describe("A client that floods the service", function () {
  this.timeout(180_000);

  /** The service on a store, at the limits of requests that no client reaches. */
  async function fixture(engine: string, replicas: number) {
    const { databaseUrl = "" } = (await engines[engine]?.()) ?? {};
    const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
    const { wallet, address } = await stack.participate();
    const environment = {
      ...stack.environment,
      IDENTITY_PORT: "0",
      IDENTITY_RATE_LIMIT: "1000000",
      IDENTITY_WALLET_RATE_LIMIT: "1000000",
      IDENTITY_TRUST_PROXY: replicas > 1 ? "loopback" : "0",
    };
    const started: string[] = [];
    while (started.length < replicas) started.push((await startIdentitySigner(environment)).url);
    const body = JSON.stringify(await signedRequest(wallet, address));
    const headers = { "content-type": "application/json" };
    return { started, asked: { method: "POST", path: "/v1/onchain_verifications", headers, body } as const };
  }

  /**
   * Measures what another client waits while a flood goes on, and before and after it. Other work of the machine comes and
   * goes, so what is too slow is measured again, at most twice.
   */
  async function measure(url: string, asked: Asked, flood: Asked, replicas: readonly string[]) {
    let found = await measureOnce(url, asked, flood, replicas);
    for (let again = 0; again < 2 && found.during >= 3 * found.usual; again++)
      found = await measureOnce(url, asked, flood, replicas);
    return found;
  }

  async function measureOnce(url: string, asked: Asked, flood: Asked, replicas: readonly string[]) {
    const { ask } = clientAt("127.0.0.2", url);
    const probes = replicas.map((replica) => clientAt("127.0.0.4", replica));
    const statuses = new Set<number | string>();
    const median = async () => {
      const took: number[] = [];
      // One failure is enough.
      for (let i = 0; i < measured && statuses.size < 2; i++, await delay(pause)) {
        const began = performance.now();
        statuses.add(await ask(asked));
        took.push(performance.now() - began);
        if (i % 10 > 0) continue;
        for (const probe of probes) statuses.add(await probe.ask({ method: "GET", path: "/readyz" }));
      }
      return took.sort((a, b) => a - b)[measured / 2] ?? Number.NaN;
    };
    await median();
    const before = await median();
    let goesOn = true;
    const answered: (number | string)[] = [];
    const flooder = clientAt("127.0.0.3", url);
    const flooding = Array.from({ length: atOnce }, async () => {
      while (goesOn) answered.push(await flooder.ask(flood));
    });
    const during = await median();
    goesOn = false;
    flooder.leave();
    await Promise.all(flooding);
    const usual = Math.max(before, await median());
    return { statuses, during, usual, answered };
  }

  for (const [name, flood] of Object.entries(floods)) {
    for (const engine of Object.keys(engines)) {
      it(`keeps nobody waiting with ${name}, on ${engine}`, async () => {
        const { started, asked } = await fixture(engine, 1);
        const [url = ""] = started;
        const { statuses, during, usual, answered } = await measure(url, asked, flood, started);
        expect([...statuses]).to.deep.equal([200]);
        expect(answered.length).to.be.greaterThan(atOnce);
        expect(during).to.be.below(3 * usual);
      });
    }

    it(`keeps nobody waiting with ${name}, behind the shipped proxy`, async function () {
      needProxy(this, "haproxy");
      const { started, asked } = await fixture("PostgreSQL", 2);
      const [one = "", two = ""] = started;
      const { url, output } = await startProxy("haproxy", [one, two]);
      const { ask } = clientAt("127.0.0.5", url);
      while ((await ask({ method: "GET", path: "/readyz" })) !== 200) await delay(50);
      const { statuses, during, usual, answered } = await measure(url, asked, flood, started);
      expect([...statuses]).to.deep.equal([200]);
      expect(answered.length).to.be.greaterThan(atOnce);
      expect(during).to.be.below(3 * usual);
      expect(output()).not.to.include("has no server available");
    });
  }
});
