import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { serveVerifyPage, startStack } from "../../fixtures/signer/stack.ts";

describe("The rate limit", () => {
  async function fixture(env: Record<string, string>) {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "2", ...env });
    return async (forwardedFor?: string, path = "/v1/onchain_verifications") => {
      const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
      return fetch(`${url}${path}`, { method: "POST", headers, body: "{}" });
    };
  }

  it("answers rate_limited, and when to come back", async () => {
    const post = await fixture({});
    expect([(await post()).status, (await post()).status]).to.deep.equal([415, 415]);
    const limited = await post();
    expect(limited.status).to.equal(429);
    expect(((await limited.json()) as { code: string }).code).to.equal("rate_limited");
    expect(Number(limited.headers.get("retry-after"))).to.be.within(1, 60);
    expect(limited.headers.get("access-control-allow-origin")).to.equal("*");
    expect((await post(undefined, "/healthz")).status).to.equal(405);
  });

  it("holds for no preflight request: a browser would hide from the app why", async () => {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "1" });
    const ask = (method: string) => fetch(`${url}/v1/onchain_verifications`, { method });
    expect([(await ask("PUT")).status, (await ask("PUT")).status]).to.deep.equal([405, 429]);
    for (const path of ["v1/onchain_verifications", ".well-known/onchain-verifications", "openapi.json"]) {
      const preflight = await fetch(`${url}/${path}`, { method: "OPTIONS" });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")], path).to.deep.equal([
        204,
        "*",
      ]);
    }
    expect((await ask("POST")).status).to.equal(415);
  });

  it("holds for the metrics, also on a port of their own", async () => {
    for (const env of [{}, { IDENTITY_METRICS_PORT: "0" }]) {
      const { service } = await startStack({ IDENTITY_RATE_LIMIT: "2", ...env });
      const url = service.metricsUrl ?? service.url;
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await fetch(`${url}/metrics`)).status);
      expect(statuses).to.deep.equal([200, 200, 429]);
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    }
  });

  it("counts a request for a verification before its body comes", async () => {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "1" });
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    onCleanup(() => socket.destroy());
    const head = [
      "POST /v1/onchain_verifications HTTP/1.1",
      `Host: ${host}`,
      "Content-Type: application/json",
    ];
    socket.write([...head, "Content-Length: 9", "Expect: 100-continue", "", ""].join("\r\n"));
    // The service says so when it has the head.
    const [said] = await once(socket, "data");
    expect(String(said)).to.match(/^HTTP\/1\.1 100 /);
    const { status } = await fetch(`${url}/v1/onchain_verifications`, { method: "POST", body: "{}" });
    expect(status).to.equal(429);
  });

  it("holds for every path, before any other work", async () => {
    const stack = await serveVerifyPage({ IDENTITY_RATE_LIMIT: "1", IDENTITY_TRUST_PROXY: "1" });
    const html = { accept: "text/html" };
    const paths: Readonly<Record<string, RequestInit>> = {
      "/": { headers: html },
      "/?language=es": { headers: html },
      "/lost": { headers: html },
      "/nothing": {},
      "/openapi.json": {},
      "/.well-known/onchain-verifications": {},
      "/v1/onchain_verifications": { method: "PUT" },
      "/v1/onchain_verifications?again": { method: "POST" },
      "/verify": {},
      "/verify/overview": {},
      "/metrics": { method: "OPTIONS" },
    };
    for (const [i, [path, init]] of Object.entries(paths).entries()) {
      const headers = { ...init.headers, "x-forwarded-for": `192.0.2.${i}` };
      const ask = () => fetch(stack.url + path, { ...init, headers });
      expect((await ask()).status, path).not.to.equal(429);
      const limited = await ask();
      expect(limited.status, path).to.equal(429);
      // cspell:disable-next-line
      const page = /cannot answer right now|no puede responder ahora mismo/;
      if (init.headers === html) expect(await limited.text(), path).to.match(page);
      else expect(await limited.json(), path).to.include({ code: "rate_limited" });
      const isForApps = /^\/(v1|\.well-known|openapi)/.test(path);
      expect(limited.headers.get("access-control-allow-origin"), path).to.equal(isForApps ? "*" : null);
      if (path.startsWith("/verify")) expect(limited.headers.get("x-frame-options"), path).to.equal("DENY");
      for (const probe of ["/healthz", "/readyz"]) {
        for (let j = 0; j < 3; j++)
          expect((await fetch(stack.url + probe, { headers })).status).to.equal(200);
      }
    }
  });

  it("is of all clients together behind a proxy that nobody named, and the log says so, once", async () => {
    const count = async (env: Record<string, string>, headers: Record<string, string>) => {
      const { service, url } = await startStack(env);
      for (let i = 0; i < 2; i++) await fetch(`${url}/healthz`, { headers });
      return service.log.filter((line) => /IDENTITY_TRUST_PROXY/.test(line)).length;
    };
    const headers = { "x-forwarded-for": "192.0.2.1" };
    expect(await count({}, headers)).to.equal(1);
    expect(await count({}, {})).to.equal(0);
    for (const proxy of ["1", "127.0.0.1"])
      expect(await count({ IDENTITY_TRUST_PROXY: proxy }, headers)).to.equal(0);
  });

  it("counts by the connection's address, not X-Forwarded-For", async () => {
    const post = await fixture({});
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
      statuses.push((await post(address)).status);
    expect(statuses).to.deep.equal([415, 415, 429]);
  });

  it("survives whatever a proxy names as the client, at both ports", async () => {
    const env = { IDENTITY_TRUST_PROXY: "1", IDENTITY_METRICS_PORT: "0" };
    const { service } = await startStack(env);
    const ports = [service.port, Number(new URL(service.metricsUrl ?? "").port)];
    const addresses = [
      "::1.2.3.4",
      "64:ff9b::1.2.3.4",
      "1.2.3.4, ::1.2.3.4",
      "fe80::1%eth0.100",
      "fe80::1%br-lan",
    ];
    const others = [
      "[::1.2.3.4]:80",
      "[::",
      "]",
      "::1%",
      "%eth0",
      "::ffff:1.2.3.400",
      "1.2.3.4:99999",
      "unknown",
    ];
    const more = [
      "::ffff:1.2.3.4%a%b",
      "::ffff:0:1.2.3.4",
      "::0x1.2.3.4",
      "::01.2.3.4",
      '"[2001:db8::192.0.2.1]:80"',
    ];
    const odd = [
      "\xff\xfe",
      "\u00e9::1",
      ",".repeat(9_000),
      ", ::1.2.3.4 ,,",
      "::1.2.3.4, ".repeat(900),
      "::1.2.3.4\r\nX-Forwarded-For: ::4.3.2.1",
      "1".repeat(9_000),
      ":".repeat(9_000),
    ];
    for (const port of ports) {
      for (const name of [...addresses, ...others, ...more, ...odd]) {
        const head = `GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: ${name}\r\n\r\n`;
        const answer = await sendRaw(port, Buffer.from(head, "latin1"));
        expect(answer, name.slice(0, 80)).to.match(/^HTTP\/1\.1 200 /);
      }
    }
  });

  it("is off at 0, also of connections", async () => {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "0" });
    const { hostname, port } = new URL(url);
    for (let i = 0; i < 101; i++) {
      const socket = connect(Number(port), hostname);
      onCleanup(() => socket.destroy());
      await once(socket, "connect");
    }
    const path = `${url}/v1/onchain_verifications`;
    for (let i = 0; i < 3; i++) expect((await fetch(path, { method: "POST" })).status).to.equal(415);
  });
});
