import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import {
  requestVerification,
  signMessage,
  waitForCalls,
  waitForReceipt,
} from "../../packages/client/index.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { identityError } from "../fixtures/client/identityError.ts";
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
