import { expect } from "chai";
import { AbiCoder } from "ethers";
import { followAllowlist } from "../../../packages/operator/watch/allowlist.ts";
import { createWatchMetrics } from "../../../packages/operator/watch/telling/metrics.ts";
import { openTeller } from "../../../packages/operator/watch/telling/teller.ts";
import type { WatchEvent } from "../../../packages/operator/watch/telling/watchEvent.ts";

describe("The allowlist that a watch follows", () => {
  it("has been each signer that it listed, that a service used, that was added, or that is another service's", async () => {
    const abi = AbiCoder.defaultAbiCoder();
    const signerOf = (digit: string) => `0x${digit.repeat(40)}`;
    const at = { number: 1, hash: `0x${"a".repeat(64)}` } as const;
    const data = abi.encode(["address[]"], [[signerOf("1")]]);
    const answer = [true, true, false, data.length / 2 - 1, data];
    const node = { request: async () => abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[answer]]) };
    const others = new Set([signerOf("2")]);
    const { begin, note, recent } = followAllowlist({
      node,
      registry: signerOf("9"),
      others,
      teller: {} as never,
    });
    await begin(at, new Set(["3", "4"].map(signerOf)));
    const change = { address: signerOf("9"), block: 1, blockHash: at.hash, transactionHash: "", readAt: 0 };
    note(
      ["5", "6"].map((digit) => ({
        ...change,
        topics: ["an event", `0x${signerOf(digit).slice(2).padStart(64, "0")}`],
      })),
    );
    expect([...recent].sort()).to.deep.equal(["1", "2", "3", "4", "5", "6"].map(signerOf));
    expect([...others]).to.deep.equal([signerOf("2")]);
  });

  it("tells of each signer that is gone, and is read again only where it may have changed", async () => {
    const abi = AbiCoder.defaultAbiCoder();
    const signerOf = (digit: string) => `0x${digit.repeat(40)}`;
    const allowlist = { signers: ["1", "2", "3"].map(signerOf), reads: 0 };
    const node = {
      async request({ method }: { method: string }) {
        if (method !== "eth_call") return { number: "0x1", hash: `0x${"a".repeat(64)}`, timestamp: "0x1" };
        allowlist.reads++;
        const data = abi.encode(["address[]"], [allowlist.signers]);
        const size = data.length / 2 - 1;
        return abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[[true, true, false, size, data]]]);
      },
    };
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
    const { read } = followAllowlist({ node, registry: signerOf("9"), others: new Set(), teller });
    expect(await read(false)).to.deep.equal(allowlist.signers);
    allowlist.signers = [signerOf("2")];
    expect([(await read(false)).length, allowlist.reads, events]).to.deep.equal([3, 1, []]);
    expect(await read(true)).to.deep.equal([signerOf("2")]);
    expect(events).to.deep.equal(["1", "3"].map((digit) => ({ event: "removed", signer: signerOf(digit) })));
  });

  it("has the signers, too, of which the audit trail is read after the watch has begun", async () => {
    const abi = AbiCoder.defaultAbiCoder();
    const empty = [true, true, false, 64, abi.encode(["address[]"], [[]])];
    const node = {
      request: async () => abi.encode(["tuple(bool,bool,bool,uint256,bytes)[]"], [[empty]]),
    };
    const teller = openTeller({
      tell: () => undefined,
      onProgress: () => undefined,
      webhook: undefined,
      metrics: createWatchMetrics(),
      consumers: new Set(),
    });
    const { begin, recent } = followAllowlist({
      node,
      registry: `0x${"9".repeat(40)}`,
      others: new Set(),
      teller,
    });
    const at = { number: 1, hash: `0x${"a".repeat(64)}` } as const;
    for (const used of [["one"], ["one", "two"]]) await begin(at, new Set(used));
    expect([...recent]).to.deep.equal(["one", "two"]);
  });
});
