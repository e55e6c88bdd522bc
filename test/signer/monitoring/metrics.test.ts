import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { serviceErrors } from "../../../packages/protocol/errors.ts";
import type { ReadinessReport } from "../../../packages/protocol/health.ts";
import { failureReasons } from "../../../packages/verify-page/messages.ts";
import { createMetrics } from "../../../signer/internal/monitoring/metrics.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { documentedMetrics } from "../../fixtures/deploy/deployFiles.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { serveVerifyPage, startStack } from "../../fixtures/signer/stack.ts";

const path = "/v1/onchain_verifications";

/** The values of a service's samples, without the buckets of durations. */
async function scrape(url: string) {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).to.equal(200);
  const text = await response.text();
  const samples = [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name = "", value]) => [
    name,
    Number(value),
  ]);
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name);
  return { response, text, names, values: Object.fromEntries(samples) as Record<string, number> };
}

/** A counter's samples above zero. */
const countedOf = (values: Readonly<Record<string, number>>, counter: string) =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => name.startsWith(`${counter}{`) && value > 0),
  );

describe("GET /metrics", () => {
  it("has every counter and queue with each known label from the start", async () => {
    const { url } = await serveVerifyPage({ IDENTITY_RATE_LIMIT: "600" });
    const { values } = await scrape(url);
    const codes = Object.keys(serviceErrors).filter((code) => !/^(not_found|method_not_allowed)$/.test(code));
    const expected = [
      ...["issued", "aborted", ...codes].map((result) => `identity_verifications_total{result="${result}"}`),
      ...["connections", "sign_ins"].map((limit) => `identity_rate_limited_total{limit="${limit}"}`),
      ...["requests", "gas"].flatMap((queue) => [
        `identity_queue_refused_total{queue="${queue}"}`,
        `identity_queue_waiting{queue="${queue}"}`,
      ]),
      ...["proven", ...failureReasons].map(
        (outcome) => `identity_provider_sign_ins_total{provider="microblog",outcome="${outcome}"}`,
      ),
      'identity_chain_round_trip_duration_seconds_count{outcome="failed"}',
      "identity_audit_problems_total",
    ];
    expect(Object.fromEntries(expected.map((name) => [name, values[name]]))).to.deep.equal(
      Object.fromEntries(expected.map((name) => [name, 0])),
    );
  });

  it("is in Prometheus's text format, and kept out of caches", async () => {
    const { url } = await startStack();
    const { response, text } = await scrape(url);
    expect(response.headers.get("content-type")).to.equal("text/plain; version=0.0.4; charset=utf-8");
    expect(response.headers.get("cache-control")).to.equal("no-store");
    for (const line of text.split("\n")) {
      expect(line).to.match(/^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[^"\\]*",?)+\})? (\d|\.|e|[+-]|Nan)+$/);
    }
  });

  it("counts issued verifications, and refused ones by code", async () => {
    const stack = await startStack();
    const { wallet, address, request } = await stack.participate();
    await request();
    await request();
    await requestVerification(stack.url, {});
    await requestVerification(stack.url, await signedRequest(wallet, stack.registry));
    await requestVerification(stack.url, await signedRequest(Wallet.createRandom(), address));
    await fetch(`${stack.url}${path}`, { method: "POST", body: "{}" });
    for (const method of ["OPTIONS", "PUT"]) await fetch(`${stack.url}${path}`, { method });
    const { values } = await scrape(stack.url);
    expect(countedOf(values, "identity_verifications_total")).to.deep.equal({
      'identity_verifications_total{result="issued"}': 2,
      'identity_verifications_total{result="invalid_argument"}': 1,
      'identity_verifications_total{result="contract_not_found"}': 1,
      'identity_verifications_total{result="verification_not_found"}': 1,
      'identity_verifications_total{result="unsupported_media_type"}': 1,
    });
  });

  it("measures requests by route and status", async () => {
    const { url } = await startStack();
    await fetch(`${url}/healthz`);
    await fetch(`${url}/healthz`);
    await fetch(`${url}/healthz`, { method: "PUT" });
    await fetch(`${url}/some/path?of=the-client`);
    const { values } = await scrape(url);
    const count = (route: string, status: number) =>
      values[`identity_http_request_duration_seconds_count{route="${route}",status="${status}"}`];
    expect([count("/healthz", 200), count("/healthz", 405), count("none", 404)]).to.deep.equal([2, 1, 1]);
  });

  it("distinguishes requests whose client did not wait for the answer, as the log does", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url, log } = await startTestSigner({
      IDENTITY_RPC_URL: proxy.url,
      IDENTITY_REGISTRY: stack.registry,
    });
    const { wallet, address } = await stack.participate();
    const body = JSON.stringify(await signedRequest(wallet, address));
    const leaving = new AbortController();
    proxy.behaviour = { respond: () => leaving.abort() };
    const headers = { "content-type": "application/json" };
    await rejection(fetch(`${url}${path}`, { method: "POST", headers, body, signal: leaving.signal }));
    proxy.behaviour = {};
    const counted = 'identity_verifications_total{result="aborted"}';
    let { values } = await scrape(url);
    for (let i = 0; i < 100 && values[counted] === 0; i++) {
      await setTimeout(20);
      ({ values } = await scrape(url));
    }
    expect(values[counted]).to.equal(1);
    const measured = `identity_http_request_duration_seconds_count{route="${path}",status="aborted"}`;
    expect(values[measured]).to.equal(1);
    expect(values['identity_verifications_total{result="issued"}']).to.equal(0);
    const aborted = log.map((line) => JSON.parse(line)).filter((line) => line.aborted);
    expect(aborted.map(({ route }) => route)).to.deep.equal([path]);
  });

  it("measures round trips to the node by their outcome", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url } = await startTestSigner({ IDENTITY_RPC_URL: proxy.url, IDENTITY_REGISTRY: stack.registry });
    const count = async (outcome: string) =>
      (await scrape(url)).values[`identity_chain_round_trip_duration_seconds_count{outcome="${outcome}"}`] ??
      0;
    const answered = await count("answered");
    expect(answered).to.equal(proxy.batches.length);
    expect(await count("failed")).to.equal(0);
    proxy.behaviour = { respond: (response) => response.destroy() };
    const { address } = await stack.participate();
    await requestVerification(url, await signedRequest(Wallet.createRandom(), address));
    expect(await count("failed")).to.be.greaterThan(0);
  });

  it("measures in seconds, and tells the time of the node's latest block in unix seconds", async () => {
    const begun = performance.now();
    const stack = await startStack();
    const { request } = await stack.participate();
    await request();
    const { values } = await scrape(stack.url);
    const elapsed = (performance.now() - begun) / 1000;
    const sums = Object.entries(values).filter(([name]) => /^identity_.*_seconds_sum/.test(name));
    const measured = sums.map(([name]) => name.replace(/_duration.*/, ""));
    expect(new Set(measured)).to.deep.equal(
      new Set(["identity_http_request", "identity_chain_round_trip", "identity_store_call"]),
    );
    for (const [name, sum] of sums) {
      expect(sum, name).to.be.within(name.includes('"failed"') ? 0 : 0.000_01, elapsed);
    }
    const block = await stack.provider.getBlock("latest");
    // As of the last reading, which is at most a second old.
    expect(values.identity_chain_latest_block_timestamp_seconds).to.be.closeTo(block?.timestamp ?? 0, 5);
  });

  it("tells whether anybody has a credential, and nothing of that while the store does not answer", async () => {
    const stack = await startStack();
    const present = async () => {
      passTime(1_000);
      return (await scrape(stack.url)).values.identity_store_credentials_present;
    };
    expect(await present()).to.equal(0);
    await stack.participate();
    expect(await present()).to.equal(1);
    const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
    database.exec("alter table credentials rename to away");
    expect(await present()).to.equal(undefined);
    database.exec("alter table away rename to credentials");
    database.close();
    expect(await present()).to.equal(1);
  });

  it("tells what a database says of its connections", async () => {
    const metrics = createMetrics();
    const connections = async () => ({ busy: 3, idle: 2, waiting: 1, max: 10 });
    const report = { status: "ready", checks: {} } as unknown as ReadinessReport;
    const text = await metrics.render(report, { connections, isEmpty: async () => true });
    expect(text.match(/^identity_store_(connections|waiting).* \d+$/gm)?.toSorted()).to.deep.equal(
      [
        'identity_store_connections{state="busy"} 3',
        'identity_store_connections{state="idle"} 2',
        "identity_store_connections_max 10",
        "identity_store_waiting 1",
      ].toSorted(),
    );
  });

  it("measures calls of the store by operation and outcome", async () => {
    const stack = await startStack();
    const { request } = await stack.participate();
    const count = async (operation: string, outcome: string) => {
      const labels = `operation="${operation}",outcome="${outcome}"`;
      return (await scrape(stack.url)).values[`identity_store_call_duration_seconds_count{${labels}}`];
    };
    await request();
    expect(await count("find", "done")).to.equal(1);
    expect(await count("find", "failed")).to.equal(undefined);
    const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
    database.exec("drop table credentials");
    database.close();
    await request();
    expect([await count("find", "done"), await count("find", "failed")]).to.deep.equal([1, 1]);
  });

  it("shows the current state of each thing that the service needs", async () => {
    const stack = await startStack();
    const ready = async () => {
      passTime(1_000);
      const { values } = await scrape(stack.url);
      return ["chain", "store", "signer"].map((check) => values[`identity_ready{check="${check}"}`]);
    };
    expect(await ready()).to.deep.equal([1, 1, 1]);
    await (await stack.registryContract.getFunction("removeSigner")(stack.service.signer)).wait();
    expect(await ready()).to.deep.equal([1, 1, 0]);
    await (await stack.registryContract.getFunction("addSigner")(stack.service.signer)).wait();
    expect(await ready()).to.deep.equal([1, 1, 1]);
  });

  it("shows the process's usage, and keeps two services' counts apart", async () => {
    const [one, two] = [await startStack(), await startStack()];
    await (await one.participate()).request();
    const issued = 'identity_verifications_total{result="issued"}';
    const [first, second] = [await scrape(one.url), await scrape(two.url)];
    expect([first.values[issued], second.values[issued]]).to.deep.equal([1, 0]);
    for (const { values } of [first, second]) {
      expect(values.process_cpu_seconds_total).to.be.greaterThan(0);
      expect(values.process_resident_memory_bytes).to.be.greaterThan(1_000_000);
    }
  });
});

describe("docs/reference/metrics.md", () => {
  it("lists every metric of the service, and no other", async () => {
    const { url } = await startStack();
    const { names } = await scrape(url);
    const own = names.filter((name) => !/^(process|nodejs)_/.test(name));
    expect(documentedMetrics("The service")).to.deep.equal(own);
  });
});
