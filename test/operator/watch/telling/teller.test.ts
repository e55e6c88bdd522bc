import { expect } from "chai";
import { unattributed } from "../../../../packages/operator/watch/judging/findings.ts";
import type { Header } from "../../../../packages/operator/watch/reading/header.ts";
import { createWatchMetrics } from "../../../../packages/operator/watch/telling/metrics.ts";
import { openTeller } from "../../../../packages/operator/watch/telling/teller.ts";
import type { WatchEvent } from "../../../../packages/operator/watch/telling/watchEvent.ts";
import { ChainUnavailableError } from "../../../../packages/protocol/chain/connect.ts";
import { InvalidInputError } from "../../../../packages/protocol/errors.ts";
import { withRemedy } from "../../../../signer/settings.ts";
import { serveHttp } from "../../../fixtures/httpServer.ts";
import { passTime } from "../../../fixtures/passTime.ts";

const forged = {
  kind: "forged",
  consumer: "a consumer",
  round: "0x0",
  identityHash: "0x1",
  transactionHash: "0x2",
  block: 7,
  signer: "a signer",
  foundAt: 0,
  isTold: true,
  isBraked: false,
} as const;

describe("A report of a watch", () => {
  function fixture(webhook?: string) {
    const events: WatchEvent[] = [];
    const tell = (event: WatchEvent) => events.push(event);
    const metrics = createWatchMetrics();
    const teller = openTeller({
      tell,
      onProgress: () => undefined,
      webhook,
      metrics,
      consumers: new Set(),
    });
    const measured = async (name: "judged" | "judgedInPart") => (await metrics[name].get()).values[0]?.value;
    return { events, teller, measured };
  }

  it("is made of how far it is behind, twice a minute, and of nothing once it is not", async () => {
    const { events, teller, measured } = fixture();
    const at = (number: number) => ({ number, timestamp: 7 * number }) as Header;
    for (const block of [10, 20]) teller.progress(at(block), at(100));
    passTime(30_000);
    for (const block of [100, 30]) teller.progress(at(block), at(100));
    expect(events).to.deep.equal([10, 30].map((block) => ({ event: "catching-up", block, of: 100 })));
    expect(await measured("judged"), "the time of the last block").to.equal(7 * 30);
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

  it("is made of all blocks that were judged in part since the last one, together", async () => {
    const { events, teller, measured } = fixture();
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
    expect(await measured("judgedInPart")).to.equal(2);
  });

  it("is made of blocks that were judged in part at the end of a watch, too, with twenty contracts of theirs", async () => {
    const { events, teller } = fixture();
    const addresses = Array.from({ length: 21 }, (_, i) => `contract ${i}`);
    for (const block of [7, 8]) {
      teller.notePart({ from: block, to: block, addresses }, "too many");
      await teller.end(1_000);
    }
    const told = { event: "judged-in-part", addresses: addresses.slice(0, 20), problem: "too many" };
    expect(events).to.deep.equal([7, 8].map((block) => ({ ...told, from: block, to: block })));
  });

  it("says where to change what, if a node's problem lasts until somebody does", () => {
    const { events, teller } = fixture();
    const problem = new ChainUnavailableError("The node is on chain 1.", { kind: "wrong-chain" });
    teller.trouble("cannot-judge", problem);
    expect(Object(events[0]).problem).to.equal(
      `The node (IDENTITY_RPC_URL): ${withRemedy(problem.message, problem.kind)}`,
    );
    expect(Object(events[0]).problem).to.include("IDENTITY_CHAIN_ID");
  });

  it("is taken once the webhook has taken it, but at once where anybody can cause it", async () => {
    let take: () => void = () => undefined;
    const isAsked = new Promise<void>((asked) => {
      take = asked;
    });
    const { url } = await serveHttp(async (_request, response) => {
      await isAsked;
      response.writeHead(204).end();
    });
    const { teller } = fixture(url);
    const taken: string[] = [];
    const tell = (kind: "forged" | "unproven") =>
      teller.tell({ event: kind, finding: { ...forged, kind } }, () => taken.push(kind));
    tell("forged");
    tell("unproven");
    expect(taken).to.deep.equal(["unproven"]);
    take();
    await teller.end(10_000);
    expect(taken).to.deep.equal(["unproven", "forged"]);
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
