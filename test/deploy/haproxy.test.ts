import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serviceErrors } from "../../packages/protocol/errors.ts";
import { timeLimitSeconds } from "../../packages/verify-page/providers/oauth.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { startProcess } from "../fixtures/process.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

// The operator brings the certificate, so the test removes it.
const configuration = read("deploy/haproxy/haproxy.cfg").replaceAll(/ ssl crt \S+ alpn \S+/g, "");

describe("The proxy's configuration", () => {
  before(function () {
    if (spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status !== 0) {
      skip(this, "there is no haproxy here", "apt-get install --no-install-recommends haproxy");
    }
  });

  /** Writes the configuration for a free port, with these servers. `change` replaces what the test cannot have. */
  async function configure(
    [one = "", two = one]: readonly string[],
    change: (text: string) => string = (text) => text,
  ) {
    const port = await findFreePort();
    const file = join(await temporaryFolder(), "haproxy.cfg");
    const text = configuration
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replace("bind :::443 v6only", `bind ::1:${port} v6only`)
      .replaceAll("10.0.0.11:3000", new URL(one).host)
      .replaceAll("10.0.0.12:3000", new URL(two).host);
    writeFileSync(file, change(text));
    return { port, file };
  }

  /** The proxy's answer; undefined if the connection ends without one. */
  const askAt = (port: number, path: string, options: { localAddress?: string; method?: string }) =>
    new Promise<IncomingMessage | undefined>((resolve) => {
      const sent = request({ port, host: "127.0.0.1", path, agent: false, ...options }, (response) => {
        response.resume().once("end", () => resolve(response));
      });
      sent.once("error", () => resolve(undefined)).end(options.method === "POST" ? "{}" : undefined);
    });

  it("is valid for HAProxy", async () => {
    const file = join(await temporaryFolder(), "haproxy.cfg");
    const check = (text: string) => {
      writeFileSync(file, text);
      return spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
    };
    const { status, stderr } = check(configuration);
    expect(status, stderr).to.equal(0);
    expect(stderr).not.to.match(/\[(WARNING|ALERT)\]/);
    expect(check(configuration.replaceAll("balance ", "balanced ")).status).not.to.equal(0);
  });

  it("bounds the connections and requests of one address", async () => {
    const { url } = await serveHttp((_request, response) => response.end("answered"));
    // However slow the machine is.
    const { port, file } = await configure([url], (text) =>
      text
        .replace("http_req_rate(10s)", "http_req_rate(1h)")
        .replaceAll(/timeout (http-request|client) \w+/g, "timeout $1 1h"),
    );
    const proxy = startProcess("haproxy", ["-f", file]);
    const ask = (localAddress: string) =>
      askAt(port, "/verify/callback/microblog?code=of-a-person", { localAddress });
    while ((await ask("127.0.0.2"))?.statusCode !== 200) await delay(20);

    const statuses = new Set<number | undefined>();
    let refused: IncomingMessage | undefined;
    for (let asked = 0; asked < 400; asked++) {
      const response = await ask("127.0.0.3");
      statuses.add(response?.statusCode);
      if (response?.statusCode === 200) expect(asked).to.be.below(300);
      else refused ??= response;
    }
    expect([...statuses]).to.deep.equal([200, 429]);
    expect(refused?.headers).to.include({
      "content-type": "application/problem+json",
      "retry-after": "10",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Retry-After",
    });
    expect((await ask("127.0.0.4"))?.statusCode).to.equal(200);
    const overIpv6 = await fetch(`http://[::1]:${port}/`);
    expect(overIpv6.status).to.equal(200);

    // The flood is seen in its log, and by whom, without what may be a secret.
    await proxy.waitFor(/^.*127\.0\.0\.3:\d+ .* 429 .* GET \/verify\/callback\/microblog$/m);
    expect(proxy.output()).to.match(/127\.0\.0\.2:\d+ .* 200 .* GET /);
    expect(proxy.output()).not.to.include("of-a-person");

    const open = async () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.5" });
      socket.on("error", () => undefined).resume();
      onCleanup(() => socket.destroy());
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      return socket;
    };
    const sockets: Socket[] = [];
    for (let i = 0; i < 101; i++) sockets.push(await open());
    const closed = () => sockets.filter(({ destroyed }) => destroyed).length;
    // Its threads accept in any order.
    while (closed() === 0) await delay(20);
    expect(closed()).to.equal(1);
    expect((await ask("127.0.0.4"))?.statusCode).to.equal(200);
  }).timeout(60_000);

  it("gives a replica five hundred requests at a time, and only whole ones", async () => {
    const held: ServerResponse[] = [];
    const methods = new Set<string | undefined>();
    let most = 0;
    let isOpen = false;
    const { url } = await serveHttp(({ method, url: path }, response) => {
      if (path === "/readyz" || path === "/healthz") return void response.end("ok");
      methods.add(method);
      held.push(response);
      most = Math.max(most, held.length);
      if (isOpen) release();
    });
    const release = () => {
      for (const response of held.splice(0)) response.end();
    };
    // However slow the machine is.
    const { port, file } = await configure([url], (text) =>
      text
        .replaceAll(/ {2}server two .*\n/g, "")
        .replaceAll(/timeout (http-request|client|server|queue|check) \w+/g, "timeout $1 1h"),
    );
    startProcess("haproxy", ["-f", file]);
    const ask = async (path: string, localAddress: string) =>
      (await askAt(port, path, { localAddress }))?.statusCode;
    while ((await ask("/readyz", "127.0.0.2")) !== 200) await delay(20);

    const half = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.3" });
    onCleanup(() => half.destroy());
    half.on("error", () => undefined).write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    const asked = Array.from({ length: 600 }, (_, i) => ask("/", `127.0.0.${10 + Math.floor(i / 50)}`));
    while (held.length < 500) await delay(20);
    // For more of them to come, if any could.
    await delay(300);
    isOpen = true;
    release();
    expect(new Set(await Promise.all(asked))).to.deep.equal(new Set([200]));
    expect(most).to.equal(500);
    expect([...methods]).to.deep.equal(["GET"]);
  }).timeout(60_000);

  it("repeats a request that a replica dropped, if it may be repeated", async () => {
    const asked: string[] = [];
    const askedOf = new Set<string>();
    const serveReplica = async (name: string) => {
      const { url } = await serveHttp((received, response) => {
        if (received.url === "/readyz" || received.url === "/healthz") return void response.end("ok");
        asked.push(`${received.method} ${received.url}`);
        askedOf.add(`${received.url} of ${name}`);
        // As one that is killed.
        received.resume().once("end", () => received.socket.destroy());
      });
      return url;
    };
    const { port, file } = await configure([await serveReplica("one"), await serveReplica("two")]);
    startProcess("haproxy", ["-f", file]);
    const ask = async (path: string, method = "GET") => (await askAt(port, path, { method }))?.statusCode;
    while ((await ask("/readyz")) !== 200) await delay(20);
    const times: Record<string, number> = {};
    for (const line of [
      "POST /v1/onchain_verifications",
      "GET /",
      "GET /verify/overview",
      "GET /verify/callback/microblog?code=1",
      "POST /verify/keep",
      "POST /verify/link",
    ]) {
      const [method, path = ""] = line.split(" ");
      expect(await ask(path, method), line).to.equal(503);
      times[line] = asked.filter((one) => one === line).length;
    }
    expect(times).to.deep.equal({
      "POST /v1/onchain_verifications": 4,
      "GET /": 4,
      "GET /verify/overview": 4,
      "GET /verify/callback/microblog?code=1": 1,
      "POST /verify/keep": 1,
      "POST /verify/link": 1,
    });
    expect(askedOf).to.include.members(["/ of one", "/ of two"]);
  });

  it("tells the service who asks, whatever the client says of that", async () => {
    const told: (string | undefined)[] = [];
    const { url } = await serveHttp(({ headers, url: path }, response) => {
      if (path === "/") told.push(headers["x-forwarded-for"]?.toString());
      response.end("answered");
    });
    const { port, file } = await configure([url]);
    startProcess("haproxy", ["-f", file]);
    const ask = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { headers }).then(({ status }) => status);
    while ((await ask({}).catch(() => 0)) !== 200) await delay(20);
    await ask({ "X-Forwarded-For": "10.9.8.7" });
    await ask({ "x-forwarded-for": "10.9.8.7, 10.9.8.6" });
    expect(new Set(told)).to.deep.equal(new Set(["127.0.0.1"]));
  });

  it("answers for a replica that hangs up or is too slow as the service does when it is busy, to any origin", async () => {
    const { url } = await serveHttp(({ socket, url: path }, response) => {
      if (path === "/readyz" || path === "/healthz") return void response.end("ok");
      if (path === "/broken") return void socket.end("no HTTP\r\n\r\n");
      if (path !== "/slow") response.end("answered");
    });
    const { port, file } = await configure([url], (text) =>
      text.replace(/timeout server \w+/, "timeout server 200ms"),
    );
    startProcess("haproxy", ["-f", file]);
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    while ((await ask("/").catch(() => undefined))?.status !== 200) await delay(20);
    for (const path of ["/slow", "/broken"]) {
      const response = await ask(path);
      expect(response.status, path).to.equal(503);
      const headers = ["content-type", "retry-after", "access-control-allow-origin"];
      expect(headers.map((name) => response.headers.get(name))).to.deep.equal([
        "application/problem+json",
        "2",
        "*",
      ]);
      expect(response.headers.get("access-control-expose-headers")).to.equal("Retry-After");
      const { type, ...problem } = (await response.json()) as Record<string, unknown>;
      expect(type).to.equal("urn:hardhat-identity:problem:overloaded");
      expect(problem).to.deep.include({ ...serviceErrors.overloaded, code: "overloaded" });
    }
  });

  it("shows the metrics to nobody outside, and logs no connection without a request", async () => {
    const paths: string[] = [];
    const { url } = await serveHttp(({ url: path = "" }, response) => {
      paths.push(path);
      response.end("answered");
    });
    const { port, file } = await configure([url]);
    const proxy = startProcess("haproxy", ["-f", file]);
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    while ((await ask("/").catch(() => 0)) !== 200) await delay(20);
    for (const path of ["/metrics", "/metrics?a=b"]) expect(await ask(path)).to.equal(404);
    expect(paths.filter((path) => path.startsWith("/metrics"))).to.deep.equal([]);
    for (let i = 0; i < 3; i++) {
      const socket = connect({ port, host: "127.0.0.1" }).resume();
      await new Promise((resolve) => socket.once("connect", resolve));
      await new Promise((resolve) => socket.once("close", resolve).end());
    }
    await ask("/last");
    await proxy.waitFor(/^.* 200 .* GET \/last$/m);
    const lines = proxy
      .output()
      .split("\n")
      .filter((line) => line.includes("127.0.0.1:"));
    expect(lines.filter((line) => !line.includes(" GET "))).to.deep.equal([]);
  });

  it("prefers a ready replica, lets an unready one answer if there is no other, and answers itself if none runs", async () => {
    const serveReplica = async (name: string) => {
      const replica = { ready: true, healthy: true };
      const { url } = await serveHttp(({ url: path }, response) => {
        const isUp = path === "/healthz" ? replica.healthy : path === "/readyz" ? replica.ready : true;
        response.writeHead(isUp ? 200 : 503).end(name);
      });
      return {
        ...replica,
        url,
        set: (to: Partial<typeof replica>) => Object.assign(replica, to),
      };
    };
    const [one, two] = [await serveReplica("one"), await serveReplica("two")];
    const { port, file } = await configure([one.url, two.url], (text) =>
      text.replaceAll("inter 500ms", "inter 100ms"),
    );
    startProcess("haproxy", ["-f", file]);
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      return response && { response, text: await response.text() };
    };
    /** Asks until four answers in a row are such; the test's own timeout ends it. */
    const until = async (isSuch: (answer: NonNullable<Awaited<ReturnType<typeof ask>>>) => boolean) => {
      for (let row = 0; row < 4; ) {
        const answer = await ask();
        row = answer !== undefined && isSuch(answer) ? row + 1 : 0;
        await delay(20);
      }
    };
    one.set({ ready: false });
    await until(({ text }) => text === "two");
    two.set({ ready: false });
    await until(({ text }) => text === "one" || text === "two");
    two.set({ healthy: false });
    await until(({ text }) => text === "one");
    one.set({ healthy: false });
    await until(({ response }) => response.status === 503);
    const { response, text } = (await ask()) ?? {};
    expect(response?.headers.get("retry-after")).to.match(/^\d+$/);
    expect(JSON.parse(text ?? "")).to.include({ status: 503, code: "overloaded" });
  });
});

describe("The proxy's settings", () => {
  it("waits for as long as the service may take for an answer, when a person comes back from a provider", () => {
    const [, seconds] = /^ {2}timeout server (\d+)s$/m.exec(configuration) ?? [];
    // With the node's four seconds, and the store's two.
    expect(Number(seconds)).to.be.greaterThan(timeLimitSeconds + 4 + 2);
  });

  it("notices within the service's notice that a replica ends, and waits for nobody longer than the service does", () => {
    const seconds = (name: string) => {
      const [, number, unit] =
        new RegExp(`^ {2}timeout ${name} (\\d+)(ms|s)$`, "m").exec(configuration) ?? [];
      return Number(number) / (unit === "ms" ? 1000 : 1);
    };
    const [, inter, fall, rise] = /inter (\d+)ms fall (\d+) rise (\d+) /.exec(configuration) ?? [];
    // The service says for five seconds that it ends; see docs/signer.md.
    expect((Number(inter) / 1000) * Number(fall) + seconds("check")).to.be.below(5);
    expect(Number(rise)).to.equal(1);
    // As the service itself: for a request's headers, and for a connection that brings nothing.
    expect([seconds("http-request"), seconds("client")]).to.deep.equal([10, 30]);
  });

  it("treats a replica that is not ready as one that is, if there is no other", () => {
    const [, ready = "", alive] =
      /^backend ready\n(.*?)\n\n.*^backend alive\n(.*)$/ms.exec(configuration) ?? [];
    expect(ready.replace("/readyz", "/healthz").replaceAll(/^ *#.*\n/gm, "")).to.equal(alive?.trimEnd());
    expect(ready.split("\n")).to.include("  balance leastconn");
  });

  it("listens for IPv4 and IPv6 apart, so that not all IPv4 clients share one IPv6 network's limits", () => {
    const binds = [...configuration.matchAll(/^ {2}bind (.*)$/gm)].map(([, bind]) => bind);
    expect(binds).to.deep.equal([":443", ":::443 v6only"]);
  });

  it("refuses too many requests in the service's own words", () => {
    const [, text = ""] = /^ {2}setenv TOO_MANY '(.*)'$/m.exec(configuration) ?? [];
    expect(JSON.parse(text)).to.include({ code: "rate_limited", ...serviceErrors.rate_limited });
    // It says three hundred in ten seconds, of each of a flood's many addresses.
    expect(configuration).to.match(
      / size 100k expire 1m .*,http_req_rate\(10s\)\n.* sc0_http_req_rate gt 300 .* hdr Retry-After 10 /s,
    );
  });
});
