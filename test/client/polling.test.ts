import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { expect } from "chai";
import { waitForCalls, waitForReceipt, watchIdentity } from "../../client/index.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { identityError } from "../fixtures/client/identityError.ts";

const word = (digit: string) => `0x${digit.padStart(64, "0")}`;

interface Wait {
  readonly start: (
    connection: Eip1193Connection,
    options: { interval: number; signal?: AbortSignal },
  ) => Promise<unknown>;
  /** An answer that ends the wait, and one after which it goes on. */
  readonly last: unknown;
  readonly pending: readonly unknown[];
  /** Answers that are not of the method. */
  readonly malformed: readonly unknown[];
}

const waits: Record<string, Wait> = {
  waitForCalls: {
    start: (wallet, options) => waitForCalls(wallet, { batchId: "0x77", ...options }),
    last: { status: 200, atomic: true, receipts: [] },
    pending: [{ status: 100 }, { status: 102, receipts: [] }],
    malformed: [
      null,
      undefined,
      "CONFIRMED",
      200,
      [],
      {},
      { status: "CONFIRMED" },
      { status: "200" },
      { status: 1 },
      { status: 300 },
      { status: 700 },
    ],
  },
  waitForReceipt: {
    start: (node, options) => waitForReceipt(node, { hash: word("12"), ...options }),
    last: { status: "0x1", blockNumber: "0x5" },
    pending: [null, undefined, { status: null, blockNumber: null }],
    malformed: [
      "0x1",
      1,
      true,
      [],
      {},
      { status: "0x1" },
      { blockNumber: "0x5" },
      { status: 1, blockNumber: "0x5" },
    ],
  },
  watchIdentity: {
    async start(node, options) {
      const where = { consumer: `0x${"12".repeat(20)}`, identityHash: word("34") };
      for await (const used of watchIdentity(node, { ...where, ...options })) {
        if (used) return;
      }
    },
    last: word("1"),
    pending: [word("0")],
    malformed: [null, undefined, "0x", "0x1", word("0").slice(2), `${word("0")}00`, 0, {}, [word("0")]],
  },
};

for (const [name, { start, last, pending, malformed }] of Object.entries(waits)) {
  describe(`While ${name} polls, it`, () => {
    afterEach(() => {
      mock.timers.reset();
      mock.restoreAll();
    });

    /** A connection that gives the answers in turn, errors by throwing them, and counts its requests. */
    function answering(answers: readonly unknown[]) {
      const rest = [...answers];
      const exhausted = new AbortController();
      const connection = {
        requests: 0,
        exhausted: exhausted.signal,
        async request() {
          connection.requests++;
          // No failing test waits for ever.
          if (rest.length === 0) exhausted.abort(new Error("It asked once more than there are answers."));
          const answer = rest.shift();
          if (answer instanceof Error) throw answer;
          return answer;
        },
      };
      return connection;
    }

    for (const answer of malformed) {
      it(`ends at once with INVALID_RESPONSE when the answer is ${JSON.stringify(answer)}`, async () => {
        const connection = answering([...pending, answer]);
        const error = await identityError(() =>
          start(connection, { interval: 1, signal: connection.exhausted }),
        );
        expect(error).to.include({ code: "INVALID_RESPONSE", action: "retry-later" });
        expect(connection.requests).to.equal(pending.length + 1);
      });
    }

    for (const code of [-32600, -32601, -32602, 4001, 4100, 4200, 5730]) {
      it(`ends at once when the answer is the error ${code}, which no repetition changes`, async () => {
        const refusal = Object.assign(new Error("No."), { code });
        const connection = answering([...pending, refusal]);
        const error = await identityError(() =>
          start(connection, { interval: 1, signal: connection.exhausted }),
        );
        expect(error.rpcCode).to.equal(code);
      });
    }

    it("asks again after other errors, more and more seldom, and as before once it is answered", async () => {
      mock.timers.enable({ apis: ["setTimeout", "Date"] });
      const down = Object.assign(new Error("The node is down."), { code: -32000 });
      const [waiting] = pending;
      const connection = answering([...Array(6).fill(down), waiting, down, last]);
      const done = start(connection, { interval: 100, signal: connection.exhausted });
      for (const pause of [200, 400, 800, 1_600, 2_500, 2_500, 100, 200]) {
        const { requests } = connection;
        await new Promise(setImmediate);
        mock.timers.tick(pause - 1);
        await new Promise(setImmediate);
        expect(connection.requests).to.equal(requests);
        mock.timers.tick(1);
        await new Promise(setImmediate);
        expect(connection.requests, `after ${pause} ms`).to.equal(requests + 1);
      }
      await done;
    });

    it("asks at its interval, however long an answer takes, and at once after one that took longer", async () => {
      mock.timers.enable({ apis: ["setTimeout", "Date"] });
      const connection = answering([...pending.slice(0, 1), ...pending.slice(0, 1), last]);
      const answer = connection.request.bind(connection);
      const takes = [60, 250, 0];
      connection.request = () => {
        mock.timers.tick(takes.shift() ?? 0);
        return answer();
      };
      const done = start(connection, { interval: 100, signal: connection.exhausted });
      await new Promise(setImmediate);
      mock.timers.tick(39);
      await new Promise(setImmediate);
      expect(connection.requests).to.equal(1);
      mock.timers.tick(1);
      await new Promise(setImmediate);
      expect(connection.requests).to.equal(2);
      mock.timers.tick(0);
      await done;
      expect(connection.requests).to.equal(3);
    });

    it("takes a reading that lasts fifty intervals for one that failed", async () => {
      const hung = mock.method(AbortSignal, "timeout", () => AbortSignal.abort(new Error("It hangs.")));
      const connection = answering([last]);
      const answer = connection.request.bind(connection);
      let asked = 0;
      connection.request = () => {
        asked++;
        if (asked === 1) return new Promise(() => {});
        hung.mock.restore();
        return answer();
      };
      await start(connection, { interval: 3, signal: connection.exhausted });
      expect(asked).to.equal(2);
      expect(hung.mock.calls[0]?.arguments).to.deep.equal([150]);
    });

    it("leaves nothing behind at the signal, however often it reads", async () => {
      const { signal } = new AbortController();
      const listeners: number[] = [];
      const connection = answering([...pending, ...pending, ...pending, last]);
      const answer = connection.request.bind(connection);
      connection.request = () => {
        listeners.push(getEventListeners(signal, "abort").length);
        return answer();
      };
      await start(connection, { interval: 1, signal });
      await new Promise(setImmediate);
      expect(listeners).to.deep.equal(listeners.map(() => 0));
      expect(getEventListeners(signal, "abort")).to.deep.equal([]);
    });
  });
}
