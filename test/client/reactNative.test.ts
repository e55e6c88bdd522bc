import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import {
  readDiscovery,
  requestVerification,
  signMessage,
  waitForCalls,
  waitForReceipt,
} from "../../packages/client/index.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { identityError } from "../fixtures/client/identityError.ts";
import { skipPauses } from "../fixtures/client/pauses.ts";
import { holdTimers } from "../fixtures/holdTimers.ts";
import { replace } from "../fixtures/replace.ts";

/** As React Native's: its signal has no reason. */
class PlainController {
  readonly signal = Object.assign(new EventTarget(), { aborted: false });
  abort(): void {
    this.signal.aborted = true;
    this.signal.dispatchEvent(new Event("abort"));
  }
}

describe("The client with the abort signals of React Native, which have no reason,", () => {
  beforeEach(() => {
    replace(globalThis, "AbortController", PlainController as unknown as typeof AbortController);
  });

  const silent: Eip1193Connection = { request: () => new Promise(() => {}) };
  const request = (signal?: AbortSignal) =>
    requestVerification({
      baseUrl: "https://a.example",
      message: "m",
      signature: "0x12",
      ...(signal && { signal }),
    });
  const waits: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    waitForReceipt: (signal) => waitForReceipt(silent, { hash: `0x${"12".repeat(32)}`, signal }),
    waitForCalls: (signal) => waitForCalls(silent, { batchId: "0x1", signal }),
    requestVerification: (signal) => request(signal),
  };
  for (const [name, start] of Object.entries(waits)) {
    it(`ends ${name} with an AbortError, before and during it`, async () => {
      replace(globalThis, "fetch", () => new Promise(() => {}));
      const { signal, abort } = new PlainController();
      const started = start(signal as unknown as AbortSignal).catch((error) => error);
      await setImmediate();
      abort.call({ signal });
      for (const error of [
        await started,
        await start(signal as unknown as AbortSignal).catch((error) => error),
      ]) {
        expect(error).to.be.an("error").that.has.property("name", "AbortError");
      }
    });
  }

  it("says how long it waited for a service that does not answer", async () => {
    const asked: unknown[] = [];
    replace(globalThis, "fetch", (url) => {
      asked.push(url);
      return new Promise(() => {});
    });
    const timers = holdTimers(15_000);
    const error = identityError(() => request());
    for (let attempt = 1; attempt <= 3; attempt++) {
      while (asked.length < attempt) await new Promise((resolve) => setTimeout(resolve, 20));
      timers.end();
    }
    const { code, message } = await error;
    expect([code, message]).to.deep.equal(["client_network_error", message]);
    expect(message).to.include("(no answer within 15 seconds)");
  });

  it("returns a signature although the wallet does not tell who signed", async () => {
    const wallet = Wallet.createRandom();
    const signature = await wallet.signMessage("m");
    const timers = holdTimers(5_000);
    let isAsked = false;
    const connection: Eip1193Connection = {
      async request({ method }) {
        if (method === "personal_sign") return signature;
        isAsked = true;
        return new Promise(() => {});
      },
    };
    const signing = signMessage(connection, { address: wallet.address, message: "m" });
    while (!isAsked) await setImmediate();
    await setImmediate();
    timers.end();
    expect(await signing).to.equal(signature);
  });
});

const { URL: RealUrl } = globalThis;

/** As React Native's: some versions throw at the parts, others add a slash and write the query twice. */
function replacePlainUrl(): void {
  const get = () => {
    throw new Error("not implemented");
  };
  // `new` takes what an ordinary function returns.
  replace(globalThis, "URL", function PlainUrl() {
    return new Proxy({}, { get });
  } as unknown as typeof URL);
}

describe("The client with the URLs of React Native, whose parts are missing or wrong,", () => {
  const service = { baseUrl: "https://a.example/identity", message: "m", signature: "0x12" };
  const answer = (status: number, body: string) =>
    replace(globalThis, "fetch", async () => new Response(body, { status }));

  /** Returns the parts of the verify page's address in an error of the client. */
  async function verifyPage(verifyUrl: string) {
    replacePlainUrl();
    answer(404, JSON.stringify({ code: "verification_not_found", detail: "No.", verifyUrl }));
    const redirectUri = "https://app.example/?a=$1&b";
    const error = await identityError(() => requestVerification({ ...service, redirectUri }));
    const { origin, pathname, searchParams, hash } = new RealUrl(error.verifyUrl ?? "");
    return { place: origin + pathname + hash, query: [...searchParams].sort() };
  }

  it("leads to the verify page, which returns to the app", async () => {
    const page = "https://verify.example/verify";
    const back = ["redirect_uri", "https://app.example/?a=$1&b"];
    const rest = [
      ["providers", "microblog"],
      ["wallet", "0x12"],
    ];
    expect(await verifyPage(`${page}?providers=microblog&wallet=0x12`)).to.deep.equal({
      place: page,
      query: [rest[0], back, rest[1]],
    });
    expect(await verifyPage(page)).to.deep.equal({ place: page, query: [back] });
    expect(await verifyPage(`${page}#a?b`)).to.deep.equal({ place: `${page}#a?b`, query: [back] });
    for (const query of ["redirect_uri=x", "redirect_uri=x&redirect_uri=y", "redirect_uri="]) {
      expect(await verifyPage(`${page}?${query}&wallet=0x12#top`), query).to.deep.equal({
        place: `${page}#top`,
        query: [back, rest[1]],
      });
      expect(await verifyPage(`${page}?wallet=0x12&${query}`), query).to.deep.equal({
        place: page,
        query: [back, rest[1]],
      });
    }
    expect((await verifyPage(`${page}?my_redirect_uri=x`)).query).to.deep.equal([
      ["my_redirect_uri", "x"],
      back,
    ]);
  });

  it("names the service that it cannot reach or that is none, by its origin", async () => {
    replacePlainUrl();
    skipPauses();
    replace(globalThis, "fetch", () => Promise.reject(new TypeError("Network request failed")));
    const ask = () => readDiscovery(service);
    expect((await identityError(ask)).message).to.match(
      /^The service at https:\/\/a\.example cannot be reached \(Network request failed\); /,
    );
    answer(200, "<html>");
    expect((await identityError(ask)).message).to.include(
      "The answer of https://a.example (HTTP 200) does not",
    );
    answer(200, JSON.stringify({ jsonrpc: "2.0" }));
    expect((await identityError(ask)).message).to.include("A node answers at https://a.example: ");
  });

  it("refuses a service's URL with a password, and takes one with an @ elsewhere", async () => {
    replacePlainUrl();
    answer(200, "<html>");
    for (const authority of [
      "//ann:secret@a.example",
      "//ann@a.example/",
      "////ann@a.example",
      "//ann@",
      "//a@b@c",
    ]) {
      const error = await identityError(() => readDiscovery({ baseUrl: `https:${authority}` }));
      expect(error, authority).to.include({ code: "client_invalid_argument", argument: "baseUrl" });
    }
    for (const path of ["/@ann", "/a/@", "?a@b", "#a@b", "\\@ann"]) {
      const error = await identityError(() => readDiscovery({ baseUrl: `https://a.example${path}` }));
      expect(error, path).to.include({ code: "client_invalid_response" });
    }
  });
});
