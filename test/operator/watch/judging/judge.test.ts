import { expect } from "chai";
import { AbiCoder } from "ethers";
import { type Judge, openJudge } from "../../../../packages/operator/watch/judging/judge.ts";
import { identityUsed, type Log } from "../../../../packages/operator/watch/reading/events.ts";
import { protocolHashes } from "../../../../packages/protocol/protocolHashes.ts";
import { openCurve, openHashes } from "../../../../signer/keys.ts";
import { daysAgo } from "../../../fixtures/passTime.ts";
import { rejection } from "../../../fixtures/rejection.ts";
import { type EmptyDatabase, engines, newStore } from "../../../fixtures/signer/stores.ts";

const addressOf = (digit: string) => `0x${digit.repeat(40)}`;
const word = (digit: string) => `0x${digit.repeat(64)}` as const;

const claimAt = (consumer: string, i = 0, time = 1): Log => ({
  address: addressOf(consumer),
  topics: [identityUsed, word("0"), word(String(i))],
  block: 1,
  blockHash: word("f"),
  transactionHash: word(String(i)),
  readAt: 0,
  time,
});

describe("The judgement of claims without an entry", () => {
  /** Judges claims at so many consumers of the registry. Those without a policy need no transaction. */
  async function fixture(input: {
    contracts?: number;
    hasPolicy?: boolean;
    isLocal?: boolean;
    request?: (method: string) => object | undefined;
  }) {
    const { contracts = 1, hasPolicy = false, isLocal = true, request } = input;
    const { options, open } = await newStore(engines.SQLite as () => Promise<EmptyDatabase>);
    const hashes = await openHashes();
    const registry = addressOf("9");
    const abi = AbiCoder.defaultAbiCoder();
    const ofOne = [
      [true, true, false, 32, abi.encode(["address"], [registry])],
      hasPolicy ? [true, true, false, 32, word("3")] : [true, false, false, 0, "0x"],
    ];
    const node = {
      async request({ method }: { method: string }) {
        if (method !== "eth_call") return request?.(method);
        const answers = Array.from({ length: contracts }, () => ofOne).flat();
        return abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [answers]);
      },
    };
    const { judge } = openJudge(
      {
        ...options,
        node,
        registry,
        curve: await openCurve(hashes),
        hashes: protocolHashes(hashes),
        isLocal,
        consumers: new Set(),
        others: new Set(),
      },
      new Set(),
    );
    return { judge, open };
  }

  async function verdictOf(judge: Judge, claim: Log, areKnown: boolean) {
    const verdicts: string[] = [];
    for await (const { kind, claim: found } of judge([claim], areKnown))
      verdicts.push(`${kind} ${found?.kind ?? "nothing"}`);
    return verdicts;
  }

  it("waits for a transaction that the node has in another block, or not at all", async () => {
    for (const transaction of [undefined, { hash: word("0"), blockHash: word("e"), input: "0x" }]) {
      const { judge } = await fixture({ hasPolicy: true, request: () => transaction });
      expect(await verdictOf(judge, claimAt("a"), true)).to.deep.equal(["lagging forged"]);
    }
    const here = { hash: word("0"), blockHash: word("f"), input: "0x" };
    const { judge } = await fixture({ hasPolicy: true, request: () => here });
    expect(await verdictOf(judge, claimAt("a"), true)).to.deep.equal(["found forged"]);
  });

  it("fails where old entries were removed, but only at known consumers: anybody could stop it at others", async () => {
    const { judge, open } = await fixture({ isLocal: false });
    await daysAgo(401, async () => {
      const former = await open();
      await former.endSessions();
      await former.close();
    });
    await (await open({ audit: { retention: 400 } })).close();
    const old = claimAt("a", 0, Math.floor(Date.now() / 1_000) - 401 * 86_400);
    expect(await verdictOf(judge, old, false)).to.deep.equal(["left-out nothing"]);
    expect((await rejection(verdictOf(judge, old, true))).message).to.include("begin with a later block");
  });

  it("takes the consumers in turns, so that none waits for all claims of another", async () => {
    const { judge } = await fixture({ contracts: 3 });
    const claims = ["a", "a", "a", "b", "b", "c"].map((consumer, i) => claimAt(consumer, i));
    const order: string[] = [];
    for await (const { kind, log } of judge(claims, true)) order.push(`${kind} ${log.address.slice(-1)}`);
    expect(order).to.deep.equal(["a", "b", "c", "a", "b", "a"].map((consumer) => `found ${consumer}`));
  });
});
