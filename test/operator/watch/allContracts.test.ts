import { expect } from "chai";
import { readerOfAll } from "../../../packages/operator/watch/allContracts.ts";
import { unlimited } from "../../../packages/operator/watch/reading/shares.ts";
import { createWatchMetrics } from "../../../packages/operator/watch/telling/metrics.ts";
import { openTeller } from "../../../packages/operator/watch/telling/teller.ts";
import type { WatchEvent } from "../../../packages/operator/watch/telling/watchEvent.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("A watch of the claims at all contracts", () => {
  function fixture() {
    let asked = 0;
    const events: WatchEvent[] = [];
    const node: Eip1193Connection = {
      async request() {
        asked++;
        throw new ChainUnavailableError("The node is away.");
      },
    };
    const metrics = createWatchMetrics();
    const teller = openTeller({
      tell: (event) => events.push(event),
      onProgress: () => undefined,
      webhook: undefined,
      consumers: new Set(),
      metrics,
    });
    const reader = readerOfAll({ node, share: unlimited, teller });
    const query = { topics: [], from: 7, to: 7, end: 7 };
    const isAsked = () => {
      reader.ask(query)?.catch(() => undefined);
      return asked > 0;
    };
    const fail = () => reader.read(query, Promise.reject(new ChainUnavailableError("The node is away.")));
    return { reader, query, isAsked, fail, teller, events };
  }

  it("gives the node up for ten minutes after it has failed three times in a row, and then asks again", async () => {
    const { reader, query, fail } = fixture();
    for (let i = 0; i < 2; i++) expect((await rejection(fail())).message).to.equal("The node is away.");
    expect(await fail()).to.equal(undefined);
    expect(reader.ask(query)).to.equal(undefined);
    passTime(600_000);
    expect(reader.ask(query)?.catch(() => undefined)).to.be.instanceOf(Promise);
  });

  it("goes on with a node that fails now and then, with answers between", async () => {
    const { reader, query, isAsked, fail } = fixture();
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 2; j++) expect((await rejection(fail())).message).to.equal("The node is away.");
      expect(await reader.read(query, Promise.resolve([]))).to.deep.equal([]);
    }
    expect(isAsked()).to.equal(true);
  });

  it("leaves a few blocks that take the node too long out, and asks again after a minute", async () => {
    const { reader, query, teller, events } = fixture();
    const never = new Promise<never>(() => undefined);
    const began = performance.now();
    expect(await reader.read(query, never)).to.equal(undefined);
    expect(performance.now() - began).to.be.within(4_900, 8_000);
    teller.tellPart();
    expect(Object(events[0]).problem).to.include("did not answer in time");
    expect(reader.ask(query)).to.equal(undefined);
    passTime(60_000);
    expect(reader.ask(query)?.catch(() => undefined)).to.be.instanceOf(Promise);
  });

  it("has many blocks that take the node too long asked for in parts", async () => {
    const { reader, query } = fixture();
    const late = Promise.reject(
      new ChainUnavailableError("The node did not answer in time.", { limit: "time" }),
    );
    const { message } = await rejection(reader.read({ ...query, from: 1, to: 65, end: 65 }, late));
    expect(message).to.equal("The node is away.");
  });
});
