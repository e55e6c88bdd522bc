import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serviceErrors } from "../../packages/protocol/errors.ts";
import { findVerifyPage } from "../../packages/verify-page/bundle.ts";
import { needProxy, type ProxyName, startProxy } from "../fixtures/deploy/proxies.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { serveVerifyPage } from "../fixtures/signer/stack.ts";
import { Visitor } from "../fixtures/signer/visitor.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { openBrowser } from "../fixtures/web/person.ts";

const verification = "/v1/onchain_verifications";

/** A replica's state. Not ready, it answers 503 where a signature is needed; hanging, it accepts requests and never answers. */
type State = "ready" | "not ready" | "hanging" | "killed" | "away";

interface Seen {
  readonly line: string;
  readonly host: string | undefined;
  readonly client: string | undefined;
}

/** A replica that answers as the service does, by the state that it is in. */
async function serveReplica(name: string) {
  const replica = { state: "ready" as State, seen: [] as Seen[] };
  const { url, close } = await serveHttp((received, response) => {
    const { method, url: path = "", headers, socket } = received;
    const isProbe = path === "/readyz" || path === "/healthz";
    if (!isProbe) {
      const client = headers["x-forwarded-for"]?.toString();
      replica.seen.push({ line: `${method} ${path}`, host: headers.host, client });
    }
    if (replica.state === "hanging") return void received.resume();
    if (isProbe)
      return void response.writeHead(path === "/readyz" && replica.state === "not ready" ? 503 : 200).end();
    if (replica.state === "killed") return void received.resume().once("end", () => socket.destroy());
    response.setHeader("access-control-allow-origin", "*");
    if (method === "OPTIONS") return void response.writeHead(204).end();
    if (path !== verification || replica.state === "ready")
      return void received.resume().once("end", () => response.end(name));
    const { status } = serviceErrors.not_ready;
    response.writeHead(status, { "content-type": "application/problem+json", "retry-after": "2" });
    received.resume().once("end", () => response.end(JSON.stringify({ status, code: "not_ready", name })));
  });
  return { url, close, replica };
}

/** The clients' requests; the last is the preflight of a browser. */
const asked = [
  ["POST", verification],
  ["GET", "/verify"],
  ["GET", "/.well-known/onchain-verifications"],
  ["OPTIONS", verification],
] as const;

/** A proxy's answer to a client at an address of its own, which says that it is another. */
async function ask(port: number, method: string, path: string) {
  const headers: Record<string, string> = { host: "identity.example", "x-forwarded-for": "10.9.8.7" };
  if (method === "POST") headers["content-type"] = "application/json";
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: "127.0.0.1", localAddress: "127.0.0.9", path, method, agent: false, headers })
      .once("response", resolve)
      .once("error", reject)
      .end(method === "POST" ? "{}" : undefined);
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

type Answer = Awaited<ReturnType<typeof ask>>;

/** The problem's code, which apps read. */
function codeOf({ status, headers, body }: Answer): string {
  expect(headers, body).to.include({
    "content-type": "application/problem+json",
    "access-control-allow-origin": "*",
  });
  expect(headers["retry-after"]).to.equal("2");
  const problem = JSON.parse(body) as { status: number; code: keyof typeof serviceErrors };
  expect([status, problem.status]).to.deep.equal([503, 503]);
  return problem.code;
}

// Times for which a test cannot wait. A second, because a sound replica of a busy machine answers within it.
const quick = (text: string) =>
  text
    .replaceAll("inter 500ms", "inter 100ms")
    .replace(/timeout server \w+/, "timeout server 1s")
    .replaceAll(/timeout check \w+/g, "timeout check 1s")
    .replace(/(proxy_read_timeout|response_header_timeout) \w+/, "$1 1s")
    .replaceAll("health_interval 1s", "health_interval 100ms")
    .replaceAll("health_timeout 5s", "health_timeout 1s");

for (const name of ["haproxy", "nginx", "caddy"] as const satisfies readonly ProxyName[]) {
  describe(`Two replicas behind ${name}, by its shipped file`, function () {
    this.timeout(60_000);
    const browser = useBrowser();
    before(function () {
      needProxy(this, name);
    });

    async function fixture(states: readonly [State, State]) {
      const replicas = [await serveReplica("one"), await serveReplica("two")] as const;
      const { port, folder, output } = await startProxy(name, [replicas[0].url, replicas[1].url], {
        change: quick,
      });
      const isUp = async () => (await ask(port, "GET", "/verify").catch(() => undefined))?.status === 200;
      for (let row = 0; row < 4; await delay(20)) row = (await isUp()) ? row + 1 : 0;
      for (const [i, { replica, close }] of replicas.entries()) {
        replica.seen.length = 0;
        replica.state = states[i] as State;
        if (states[i] === "away") await close();
      }
      return { port, folder, output, seen: () => replicas.flatMap(({ replica }) => replica.seen) };
    }

    /** Each request of clients, asked often enough that each replica would have its turn. */
    async function askAll(port: number): Promise<Record<string, Answer[]>> {
      const answers: Record<string, Answer[]> = {};
      for (const [method, path] of asked) {
        const all = await Promise.all(Array.from({ length: 6 }, () => ask(port, method, path)));
        answers[`${method} ${path}`] = all;
      }
      return answers;
    }

    const statuses = (answers: readonly Answer[] = []) => [...new Set(answers.map(({ status }) => status))];
    const usualStatuses = (line: string) => [line.startsWith("OPTIONS") ? 204 : 200];

    /** Asks until the proxy has noticed the replicas' states, for at most twenty seconds, and then once more. */
    async function askNoticed(port: number, hasNoticed: (answers: Record<string, Answer[]>) => boolean) {
      const deadline = performance.now() + 20_000;
      while (!hasNoticed(await askAll(port)) && performance.now() < deadline) await delay(100);
      return await askAll(port);
    }

    it("are asked as the client asked, by the name of the service, and learn its address from the proxy alone", async () => {
      const { port, seen } = await fixture(["ready", "ready"]);
      for (const answers of Object.values(await askAll(port))) {
        for (const { status, headers } of answers) {
          expect(status).to.be.oneOf([200, 204]);
          expect(headers["access-control-allow-origin"]).to.equal("*");
        }
      }
      const lines = asked.map(([method, path]) => `${method} ${path}`);
      expect(new Set(seen().map(({ line }) => line))).to.deep.equal(new Set(lines));
      const others = seen().map(({ host, client }) => `${host} ${client}`);
      expect(new Set(others)).to.deep.equal(new Set(["identity.example 127.0.0.9"]));
    });

    for (const state of ["not ready", "hanging", "away"] as const) {
      it(`answer every request while one is ${state}`, async () => {
        const { port } = await fixture([state, "ready"]);
        const answers = await askNoticed(port, (answers) =>
          Object.entries(answers).every(([line, all]) => `${statuses(all)}` === `${usualStatuses(line)}`),
        );
        for (const [line, all] of Object.entries(answers))
          expect(statuses(all), line).to.deep.equal(usualStatuses(line));
      });
    }

    it("lose no more than an app can repeat when one is killed with requests under way", async () => {
      const { port } = await fixture(["killed", "ready"]);
      const answers = await askAll(port);
      for (const answer of answers[`POST ${verification}`] ?? [])
        if (answer.status !== 200) expect(codeOf(answer)).to.equal("overloaded");
      // nginx and HAProxy ask the other one.
      if (name !== "caddy") expect(statuses(answers[`POST ${verification}`])).to.deep.equal([200]);
      for (const [method, path] of asked.slice(1))
        expect(statuses(answers[`${method} ${path}`]), path).to.deep.equal([method === "GET" ? 200 : 204]);
    });

    it("say that none is ready, so that an app can read it", async () => {
      const { port } = await fixture(["not ready", "not ready"]);
      const pageStatus = name === "caddy" ? 503 : 200;
      const answers = await askNoticed(
        port,
        (answers) => `${statuses(answers["GET /verify"])}` === `${pageStatus}`,
      );
      for (const answer of answers[`POST ${verification}`] ?? []) {
        expect(answer.status).to.equal(503);
        expect(answer.headers).to.include({ "access-control-allow-origin": "*", "retry-after": "2" });
        expect(JSON.parse(answer.body).code).to.equal("not_ready");
      }
      expect(statuses(answers[`OPTIONS ${verification}`])).to.deep.equal([204]);
      // People still reach the page, except behind Caddy.
      if (name === "caddy") expect(codeOf(answers["GET /verify"]?.[0] as Answer)).to.equal("not_ready");
      else expect(statuses(answers["GET /verify"])).to.deep.equal([200]);
    });

    for (const state of ["away", "hanging"] as const) {
      it(`are replaced by an answer that an app can read when both are ${state}`, async () => {
        const { port, folder, output } = await fixture([state, state]);
        const answers = await askNoticed(port, (answers) =>
          Object.entries(answers).every(
            ([line, all]) => `${statuses(all)}` === (line.startsWith("OPTIONS") ? "204" : "503"),
          ),
        );
        // No log contains the parameters of a provider's redirect, not even after a failure.
        await ask(port, "GET", "/verify/callback/microblog?code=of-a-person&state=of-a-visit");
        const logs = readdirSync(folder, { withFileTypes: true }).filter((file) =>
          file.name.endsWith(".log"),
        );
        const logged = logs.map((file) => readFileSync(join(folder, file.name), "utf8")).join("");
        expect(output() + logged).not.to.match(/of-a-(person|visit)/);
        for (const [line, all] of Object.entries(answers)) {
          for (const answer of all) {
            if (!line.startsWith("OPTIONS")) expect(codeOf(answer)).to.be.oneOf(["overloaded", "not_ready"]);
            else {
              expect(answer.status, line).to.equal(204);
              expect(answer.headers).to.include({
                "access-control-allow-origin": "*",
                "access-control-allow-headers": "*, Authorization",
              });
            }
          }
        }
      });
    }

    it("show the page whole at every visit while they run two releases, and take a person with a long state to the end", async () => {
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}`;
      const stack = await serveVerifyPage({ IDENTITY_PUBLIC_URL: url, IDENTITY_TRUST_PROXY: "loopback" });
      const other = join(await temporaryFolder(), "verify");
      cpSync(await findVerifyPage(), other, { recursive: true });
      const file = join(other, "index.html");
      const script = '<script type="module">';
      writeFileSync(file, readFileSync(file, "utf8").replace(script, `${script}window.release = "next";`));
      const replica = await stack.startReplica({}, { bundle: other });
      const own = (replica: { port: number }) => `http://127.0.0.1:${replica.port}`;
      await startProxy(name, [own(stack.service), own(replica)], { port });
      const visit = async () => (await fetch(`${url}/verify`).catch(() => undefined))?.status;
      for (let row = 0; row < 4; await delay(20)) row = (await visit()) === 200 ? row + 1 : 0;

      const { page, requests, complaints } = await openBrowser(browser());
      const releases = new Set<unknown>();
      for (let visits = 0; visits < 10 || (releases.size < 2 && visits < 50); visits++) {
        // A visit is two requests: without a third, each page would come from the same replica.
        if (visits % 2 === 0) await visit();
        await page.goto(`${url}/verify`);
        await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
        releases.add(await page.evaluate("window.release"));
      }
      expect([releases.size, complaints]).to.deep.equal([2, []]);
      const paths = requests.filter((each) => each.startsWith(url)).map((each) => new URL(each).pathname);
      const named = paths.map((path) => path.replace(/-[\da-f]{8}\.woff2$/, ".woff2"));
      expect(new Set(named)).to.deep.equal(
        new Set(["/verify", "/verify/typeface.woff2", "/verify/overview"]),
      );

      // The longest that the page takes: cookies and return addresses hold it.
      const visitor = new Visitor(url);
      await visitor.signIn();
      const query = `state=${"s".repeat(2_394)}`;
      for (let i = 0; i < 3; i++) await visitor.act("prove", { provider: "microblog", query });
      await visitor.prove("microblog", { action: "pick", pick: "1001" }, query);
      expect((await visitor.overview(query)).body.proof).to.include({ step: "proven" });
    });
  });
}
