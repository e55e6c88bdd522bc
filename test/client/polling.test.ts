import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { expect } from "chai";
import { waitForCalls, waitForReceipt, watchIdentity } from "../../packages/client/index.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { expectFailure, expectRefusal } from "../fixtures/client/identityError.ts";

/** Lets everything go on that waits for no timer. */
const settle = () => new Promise(setImmediate);

/** Lets time pass only by ticks: for timers, durations and the clock that tells the time. */
function holdTime(): void {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { now } = Date;
  mock.method(performance, "now", () => now());
}

const word = (digit: string) => `0x${digit.padStart(64, "0")}`;

interface Wait {
  readonly start: (
    connection: Eip1193Connection,
    options: { interval?: number; signal?: AbortSignal },
  ) => Promise<unknown>;
  /** The JSON-RPC method that it polls. */
  readonly method: string;
  /** Milliseconds between requests if nobody says how many. */
  readonly interval: number;
  /** An answer that ends the wait, and one after which it goes on. */
  readonly last: unknown;
  readonly pending: readonly unknown[];
  /** Answers that are not of the method. */
  readonly malformed: readonly unknown[];
}

const waits: Record<string, Wait> = {
  waitForCalls: {
    start: (wallet, options) => waitForCalls(wallet, { batchId: "0x77", ...options }),
    method: "wallet_getCallsStatus",
    interval: 500,
    last: { status: 200, atomic: true, receipts: [] },
    pending: [{ status: 100 }, { status: 199, receipts: [{ status: "0x0" }] }, { status: "PENDING" }],
    malformed: [
      null,
      undefined,
      "CONFIRMED",
      200,
      [],
      {},
      { status: "DONE" },
      { status: 1 },
      { status: 700 },
    ],
  },
  waitForReceipt: {
    start: (node, options) => waitForReceipt(node, { hash: word("12"), ...options }),
    method: "eth_getTransactionReceipt",
    interval: 500,
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
    method: "eth_getStorageAt",
    interval: 200,
    last: word("1"),
    pending: [word("0")],
    malformed: [null, undefined, "", "1", word("0").slice(2), `${word("0")}00`, 0, {}, [word("0")]],
  },
};

const look = "It may still have taken effect: check before you send it again.";

for (const [name, { start, method, interval, last, pending, malformed }] of Object.entries(waits)) {
  describe(`While ${name} polls, it`, () => {
    afterEach(() => {
      mock.timers.reset();
      mock.restoreAll();
    });

    /** A connection that gives the answers in turn, errors by throwing them, and counts its requests. */
    function answering(answers: readonly unknown[], onRequest = (_count: number): unknown => undefined) {
      const rest = [...answers];
      const exhausted = new AbortController();
      // A change is read again between two looks at the chain.
      const chain = { looks: 0, isBetween: false, last: undefined as unknown };
      const connection = {
        requests: 0,
        exhausted: exhausted.signal,
        async request({ method = "" } = {}) {
          // Looked at beside the receipt; this node knows nothing of the transaction.
          if (method === "eth_getTransactionByHash") return null;
          if (method === "eth_chainId") {
            if (chain.looks++ === 0) chain.isBetween = !chain.isBetween;
            return "0x14a34";
          }
          chain.looks = 0;
          if (chain.isBetween && connection.requests > 0) return chain.last;
          connection.requests++;
          // No failing test waits for ever.
          if (rest.length === 0) exhausted.abort(new Error("It asked once more than there are answers."));
          await onRequest(connection.requests);
          const answer = rest.shift();
          if (answer instanceof Error) throw answer;
          chain.last = answer;
          return answer;
        },
      };
      return connection;
    }

    for (const answer of malformed) {
      it(`ends at once and never asks for a retry if the answer is ${JSON.stringify(answer)}`, async () => {
        const connection = answering([...pending, answer]);
        const wait = () => start(connection, { interval: 1, signal: connection.exhausted });
        await expectFailure(
          wait,
          "client_outcome_unknown",
          `The answer to ${method} cannot be read. ${look}`,
        );
        expect(connection.requests).to.equal(pending.length + 1);
      });
    }

    for (const code of [-32600, -32601, -32602, 4001, 4100, 4200, 5730]) {
      it(`ends at once if the answer is the error ${code}, which no repetition changes`, async () => {
        const refusal = Object.assign(new Error("No."), { code });
        const connection = answering([...pending, refusal]);
        const wait = () => start(connection, { interval: 1, signal: connection.exhausted });
        const what =
          code === 4001
            ? "The user rejected the request."
            : `${method} ${code === 5730 ? "failed" : "was refused"}: No.`;
        // A read after which nothing is sent again.
        const isRead = name === "watchIdentity" && code !== 4001;
        const [known, message] = isRead
          ? (["client_rpc_error", what] as const)
          : (["client_outcome_unknown", `${what} ${look}`] as const);
        await expectFailure(wait, known, message, { rpcCode: code });
      });
    }

    for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      it(`refuses an interval of ${bad}`, async () => {
        const wait = () => start(answering([last]), { interval: bad });
        await expectRefusal(wait, "interval", `a positive number of milliseconds, got ${bad}`);
      });
    }

    it("asks again after other errors, less and less often until it is answered", async () => {
      holdTime();
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

    it("asks at its interval, and at once after an answer that took longer", async () => {
      holdTime();
      const takes = [60, 250, 0];
      const connection = answering([...pending.slice(0, 1), ...pending.slice(0, 1), last], () =>
        mock.timers.tick(takes.shift() ?? 0),
      );
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

    it(`asks every ${interval} ms unless it is told otherwise`, async () => {
      holdTime();
      const connection = answering([...pending.slice(0, 1), last]);
      const done = start(connection, { signal: connection.exhausted });
      for (const [pause, requests] of [
        [interval - 1, 1],
        [1, 2],
      ] as const) {
        await settle();
        mock.timers.tick(pause);
        await settle();
        expect(connection.requests).to.equal(requests);
      }
      await done;
    });

    for (const [interval, limit] of [
      [1_000, 50_000],
      [200, 10_000],
      [1, 10_000],
      [0.001, 10_000],
    ] as const) {
      it(`treats a reading at intervals of ${interval} ms as failed after ${limit / 1_000} seconds`, async () => {
        holdTime();
        const connection = answering([last], (count) => (count === 1 ? new Promise(() => {}) : undefined));
        const done = start(connection, { interval, signal: connection.exhausted });
        await settle();
        mock.timers.tick(limit - 1);
        await settle();
        expect(connection.requests).to.equal(1);
        mock.timers.tick(1);
        await settle();
        mock.timers.tick(1);
        await settle();
        expect(connection.requests).to.equal(2);
        await done;
      });
    }

    it("asks at its interval though the device's clock is set back by an hour meanwhile", async () => {
      holdTime();
      const { now } = Date;
      const connection = answering([pending[0], last], () =>
        mock.method(Date, "now", () => now() - 3_600_000),
      );
      const done = start(connection, { interval: 100, signal: connection.exhausted });
      await settle();
      mock.timers.tick(100);
      await settle();
      expect(connection.requests).to.equal(2);
      await done;
    });

    it("asks once in twelve days or longer, if it is told so", async () => {
      for (const interval of [50_000_000, 2 ** 31, 1e12]) {
        const connection = answering([...pending, ...pending, ...pending]);
        const leaving = new AbortController();
        const left = start(connection, { interval, signal: leaving.signal }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect(connection.requests, String(interval)).to.equal(1);
        leaving.abort();
        await left;
      }
    });

    it("waits for answers that take longer than its interval", async () => {
      const connection = answering(
        [...pending, last],
        () => new Promise((resolve) => setTimeout(resolve, 120)),
      );
      await start(connection, { interval: 1, signal: connection.exhausted });
      expect(connection.requests).to.equal(pending.length + 1);
    });

    it("leaves no listener at the signal and no timer, however often it reads", async () => {
      const { signal } = new AbortController();
      const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
      await settle();
      const timers = countTimers();
      const listeners: number[] = [];
      const connection = answering([...pending, ...pending, ...pending, last], () =>
        listeners.push(getEventListeners(signal, "abort").length),
      );
      await start(connection, { interval: 1, signal });
      const [abort, reason] = [new AbortController(), new Error("The user left.")];
      const left = start(answering(pending), { interval: 20_000, signal: abort.signal }).catch(
        (error) => error,
      );
      await settle();
      abort.abort(reason);
      expect(await left).to.equal(name === "watchIdentity" ? undefined : reason);
      expect(listeners).to.deep.equal(listeners.map(() => 0));
      expect(getEventListeners(signal, "abort")).to.deep.equal([]);
      // A script that waits for nothing else ends.
      expect(countTimers()).to.equal(timers);
    });
  });
}

describe("Without a signal", () => {
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  const silent: Record<string, unknown> = { waitForReceipt: null, waitForCalls: { status: 100 } };
  for (const [name, answer] of Object.entries(silent)) {
    it(`${name} ends after three minutes, and never asks for a retry`, async () => {
      holdTime();
      const node: Eip1193Connection = {
        async request({ method }) {
          // When the time is up, it is down.
          if (Date.now() - began >= 180_000) throw new Error("No.");
          return /Hash/.test(method) ? null : answer;
        },
      };
      const began = Date.now();
      let error: unknown;
      waits[name]?.start(node, { interval: 5_000 }).catch((thrown) => {
        error = thrown;
      });
      const patient = waits[name]?.start(node, { interval: 5_000, signal: new AbortController().signal });
      for (let seconds = 0; seconds < 180; seconds += 5) {
        await settle();
        expect(error, `after ${seconds} seconds`).to.equal(undefined);
        mock.timers.tick(5_000);
      }
      await settle();
      const message = `There is no result after 180 seconds. ${look}`;
      expect(error).to.include({ code: "client_outcome_unknown", action: "show", message });
      const { cause } = Object(error);
      expect(cause).to.include({ message: `${waits[name]?.method} failed: No.` });
      expect(await Promise.race([patient, settle().then(() => "waits")]), "with a signal").to.equal("waits");
    });

    it(`${name} finds what came while the device slept, once it is connected again`, async () => {
      holdTime();
      let requests = 0;
      const node: Eip1193Connection = {
        async request({ method }) {
          if (/Hash/.test(method)) return null;
          requests++;
          if (requests === 1) return answer;
          if (requests === 2) mock.timers.tick(600_000);
          if (requests < 6) throw new TypeError("Failed to fetch");
          return waits[name]?.last;
        },
      };
      let outcome: unknown = "waits";
      waits[name]?.start(node, {}).then(
        () => (outcome = "found"),
        (error) => (outcome = error),
      );
      for (let seconds = 0; seconds < 30; seconds++) {
        await settle();
        mock.timers.tick(1_000);
      }
      expect(outcome).to.equal("found");
    });
  }
});
