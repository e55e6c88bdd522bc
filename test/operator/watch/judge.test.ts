import { expect } from "chai";
import { AbiCoder } from "ethers";
import { identityUsed, type Log } from "../../../packages/operator/watch/events.ts";
import { openJudge } from "../../../packages/operator/watch/judge.ts";
import { protocolHashes } from "../../../packages/protocol/protocolHashes.ts";
import { openCurve, openHashes } from "../../../signer/keys.ts";
import { type EmptyDatabase, engines, newStore } from "../../fixtures/signer/stores.ts";

const addressOf = (digit: string) => `0x${digit.repeat(40)}`;
const word = (digit: string) => `0x${digit.repeat(64)}` as const;

describe("The judgement of claims without an entry", () => {
  it("takes the consumers in turns, so that none waits for all claims of another", async () => {
    const { options } = await newStore(engines.SQLite as () => Promise<EmptyDatabase>);
    const hashes = await openHashes();
    const registry = addressOf("9");
    const abi = AbiCoder.defaultAbiCoder();
    // For each consumer, its registry, and no policy, so that no transaction is read.
    const ofOne = [
      [true, true, false, 32, abi.encode(["address"], [registry])],
      [true, false, false, 0, "0x"],
    ];
    const node = {
      request: async () =>
        abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[...ofOne, ...ofOne, ...ofOne]]),
    };
    const { judge } = openJudge(
      {
        ...options,
        node,
        registry,
        curve: await openCurve(hashes),
        hashes: protocolHashes(hashes),
        isLocal: true,
        consumers: new Set(),
        others: new Set(),
      },
      new Set(),
    );
    const claims = ["a", "a", "a", "b", "b", "c"].map(
      (consumer, i): Log => ({
        address: addressOf(consumer),
        topics: [identityUsed, word("0"), word(String(i))],
        block: 1,
        blockHash: word("f"),
        transactionHash: word(String(i)),
        readAt: 0,
        time: 1,
      }),
    );
    const order: string[] = [];
    for await (const { kind, log } of judge(claims, true)) order.push(`${kind} ${log.address.slice(-1)}`);
    expect(order).to.deep.equal(["a", "b", "c", "a", "b", "a"].map((consumer) => `found ${consumer}`));
  });
});
