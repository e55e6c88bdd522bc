import { expect } from "chai";
import { unattributed } from "../../../packages/operator/watch/findings.ts";
import type { Header } from "../../../packages/operator/watch/header.ts";
import { createWatchMetrics } from "../../../packages/operator/watch/metrics.ts";
import { openTeller } from "../../../packages/operator/watch/teller.ts";
import type { WatchEvent } from "../../../packages/operator/watch/watchEvent.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { passTime } from "../../fixtures/passTime.ts";

describe("A report of a watch", () => {
  function fixture() {
    const events: WatchEvent[] = [];
    const tell = (event: WatchEvent) => events.push(event);
    const metrics = createWatchMetrics();
    const teller = openTeller({
      tell,
      onProgress: () => undefined,
      webhook: undefined,
      metrics,
      consumers: new Set(),
    });
    return { events, teller };
  }

  it("is made of how far it is behind, twice a minute, and of nothing once it is not", () => {
    const { events, teller } = fixture();
    const at = (number: number) => ({ number, timestamp: number }) as Header;
    for (const block of [10, 20]) teller.progress(at(block), at(100));
    passTime(30_000);
    for (const block of [100, 30]) teller.progress(at(block), at(100));
    expect(events).to.deep.equal([10, 30].map((block) => ({ event: "catching-up", block, of: 100 })));
  });

  it("is made of no fault of its own, which ends the watch", () => {
    const { events, teller } = fixture();
    const fault = new TypeError("Cannot read properties of undefined");
    expect(() => teller.trouble("cannot-judge", fault)).to.throw(fault);
    expect(events).to.deep.equal([]);
  });

  it("is made of each problem of a trouble once until its end, also when two take turns, and of ten at most", () => {
    const { events, teller } = fixture();
    const [away, lagging] = [new InvalidInputError("It is away."), new InvalidInputError("It lags.")];
    for (const trouble of [away, away, lagging, lagging, away]) teller.trouble("cannot-judge", trouble);
    expect([teller.endTrouble("cannot-judge"), teller.endTrouble("cannot-judge")]).to.deep.equal([
      true,
      false,
    ]);
    teller.trouble("cannot-judge", away);
    expect(events.map((event) => Object(event).problem)).to.deep.equal([
      "It is away.",
      "It lags.",
      "It is away.",
    ]);
    for (const letter of "abcdefghijkl") teller.trouble("cannot-judge", `Request ${letter} failed.`);
    expect(events).to.have.length(2 + 10);
  });

  it("is made once of a trouble in which only numbers change", () => {
    const { events, teller } = fixture();
    for (const age of [61, 66, 71])
      teller.trouble("cannot-judge", `The node lags: its latest block is ${age} s old.`);
    expect(events).to.have.length(1);
  });

  it("is made of all blocks that were judged in part since the last one, together", () => {
    const { events, teller } = fixture();
    teller.notePart({ from: 7, to: 8, addresses: ["a"] }, "too many");
    teller.tellPart();
    teller.notePart({ from: 20, to: 21, addresses: ["b", "d"] }, "too many");
    teller.notePart({ from: 15, to: 16, addresses: ["b", "c"] }, "too large");
    teller.tellPart();
    expect(events).to.have.length(1);
    passTime(10_000);
    teller.tellPart();
    const part = {
      event: "judged-in-part",
      from: 15,
      to: 21,
      addresses: ["b", "d", "c"],
      problem: "too large",
    };
    expect(events.slice(1)).to.deep.equal([part]);
  });

  it("is posted of a claim that nothing proves only while no other one waits, so that they leave room", async () => {
    const posted: string[] = [];
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      posted.push(JSON.parse(text).consumer);
      response.writeHead(204).end();
    });
    const teller = openTeller({
      tell: () => undefined,
      onProgress: () => undefined,
      webhook: url,
      metrics: createWatchMetrics(),
      consumers: new Set(["named"]),
    });
    const claim = {
      kind: "forged",
      round: "0x0",
      identityHash: "0x1",
      transactionHash: "0x2",
      block: 1,
    } as const;
    const tell = (consumer: string, signer: string, event: "forged" | "undone" = "forged") => {
      const finding = { ...claim, consumer, signer, foundAt: 0, isTold: true, isBraked: false };
      teller.tell({ event, finding });
    };
    for (let i = 0; i < 1_100; i++) tell("a decoy", unattributed, i % 2 ? "forged" : "undone");
    tell("named", unattributed);
    tell("a consumer", "a signer");
    await teller.end(20_000);
    // The first one is on its way, and the second one waits.
    expect(posted).to.deep.equal(["a decoy", "a decoy", "named", "a consumer"]);
  });
});
