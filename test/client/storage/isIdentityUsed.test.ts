import { expect } from "chai";
import { concat, keccak256, toBeHex } from "ethers";
import {
  encodeCall,
  identityPosition,
  isIdentityUsed,
  sendCall,
  waitForReceipt,
  watchIdentity,
} from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { deployConsumers } from "../../fixtures/chain/consumer.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { connect, nodes } from "../../fixtures/chain/nodes.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { expectFailure, expectRefusal } from "../../fixtures/client/identityError.ts";

const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
// The mapping is the only storage of `MinimalConsumer`.
const mappingSlot = "0x0";

/** A `VerifyOnce` consumer and one with a mapping of its own, and what enrols an identity in either. */
async function fixture(connection: Eip1193Connection) {
  await connection.request({ method: "evm_setAutomine", params: [true] });
  const { identity, user, consumers } = await deployConsumers(
    connection,
    "IncentiveProgram",
    "MinimalConsumer1",
  );
  const [program = "", minimal = ""] = consumers;
  const mint = (consumer: string, name: string) => identity.mint({ consumer, user, identity: name });
  const enroll = async (consumer: string, name: string) => {
    const verification = await mint(consumer, name);
    return sendCall(connection, {
      from: user,
      chainId: 84532,
      to: consumer,
      data: encodeCall({ abi, verification }),
    });
  };
  const hold = () => connection.request({ method: "evm_setAutomine", params: [false] });
  return { program, minimal, mint, enroll, hold };
}

describe("An identity in a consumer's storage", () => {
  for (const [kind, start] of Object.entries(nodes)) {
    describe(`on ${kind}`, () => {
      let node: Eip1193Connection;

      before(async function () {
        this.timeout(30_000);
        node = await start(this);
      });

      it("is used once a VerifyOnce consumer has admitted it, and no other identity is", async () => {
        const { program, mint, enroll } = await fixture(node);
        const [{ identityHash }, bob] = [await mint(program, "alice"), await mint(program, "bob")];
        const isUsed = (hash: string) =>
          isIdentityUsed(node, { consumer: program, identityHash: hash, block: "latest" });

        expect(await isUsed(identityHash)).to.equal(false);
        const hash = await enroll(program, "alice");
        await waitForReceipt(node, { hash, interval: 10 });
        expect(await isUsed(identityHash)).to.equal(true);
        expect(await isUsed(bob.identityHash)).to.equal(false);
      });

      it("is used in the round that admitted it, and in no other", async () => {
        await fixture(node);
        const { identity, user, consumers } = await deployConsumers(node, "MinimalRoundConsumer1");
        const [consumer = ""] = consumers;
        const verification = await identity.mint({ consumer, user, identity: "alice" });
        const { identityHash } = verification;
        const data = encodeCall({ abi, verification });
        const hash = await sendCall(node, { from: user, chainId: 84532, to: consumer, data });
        await waitForReceipt(node, { hash, interval: 10 });
        const isUsed = (round?: number) =>
          isIdentityUsed(node, {
            consumer,
            identityHash,
            block: "latest",
            round: round === undefined ? undefined : `0x${String(round).padStart(64, "0")}`,
          });
        expect(await Promise.all([isUsed(7), isUsed(8), isUsed(0), isUsed()])).to.deep.equal([
          true,
          false,
          false,
          false,
        ]);
      });

      it("is found in a mapping at a slot of the consumer's own", async () => {
        const { minimal, mint, enroll } = await fixture(node);
        const { identityHash } = await mint(minimal, "alice");
        const hash = await enroll(minimal, "alice");
        await waitForReceipt(node, { hash, interval: 10 });

        const where = { consumer: minimal, identityHash, block: "latest" } as const;
        expect(await isIdentityUsed(node, { ...where, mappingSlot })).to.equal(true);
        expect(await isIdentityUsed(node, { ...where, mappingSlot: "0x1" })).to.equal(false);
        expect(await isIdentityUsed(node, where)).to.equal(false);
      });

      it("is used at `pending` while `latest` does not have it yet", async () => {
        const { program, mint, enroll, hold } = await fixture(node);
        const { identityHash } = await mint(program, "alice");
        await hold();
        const hash = await enroll(program, "alice");
        const isUsed = (block: "pending" | "latest") =>
          isIdentityUsed(node, { consumer: program, identityHash, block });

        expect(await isUsed("pending")).to.equal(true);
        expect(await isUsed("latest")).to.equal(false);
        await node.request({ method: "evm_mine", params: [] });
        await waitForReceipt(node, { hash, interval: 10 });
        expect(await isUsed("latest")).to.equal(true);
      });

      it("is watched from its first state through each change, also back when the transaction is dropped", async () => {
        const { program, mint, enroll, hold } = await fixture(node);
        const { identityHash } = await mint(program, "alice");
        await hold();
        const abort = new AbortController();
        const seen: boolean[] = [];
        let hash = "";
        const states = watchIdentity(node, {
          consumer: program,
          identityHash,
          interval: 10,
          signal: abort.signal,
        });
        for await (const used of states) {
          seen.push(used);
          if (seen.length === 1) hash = await enroll(program, "alice");
          if (seen.length === 2) await node.request({ method: "hardhat_dropTransaction", params: [hash] });
          if (seen.length === 3) abort.abort();
        }
        expect(seen).to.deep.equal([false, true, false]);
      });
    });
  }

  it("has its place in round zero where it was before the rounds, unless the mapping is the consumer's own", () => {
    const [identityHash, round] = [`0x${"34".repeat(32)}`, toBeHex(0, 32)];
    expect(identityPosition({ identityHash, round })).to.equal(identityPosition({ identityHash }));
    const rounds = keccak256(concat([round, toBeHex(5, 32)]));
    expect(identityPosition({ identityHash, round, mappingSlot: "0x5" })).to.equal(
      keccak256(concat([identityHash, rounds])),
    );
  });

  it("is not watched any more after the signal aborts, even while the node hangs", async function () {
    this.timeout(4_000);
    const proxy = await serveProxy((await serveLocalChain()).rpcUrl);
    const where = { consumer: `0x${"12".repeat(20)}`, identityHash: `0x${"34".repeat(32)}` };
    const abort = new AbortController();
    proxy.faults.push("hang");
    // Longer than this test may take, as are the fifty after which a reading is given up.
    const states = watchIdentity(connect(proxy.url), { ...where, interval: 5_000, signal: abort.signal });
    const next = states.next();
    while (proxy.faults.length > 0) await new Promise(setImmediate);
    abort.abort();
    expect(await next).to.deep.equal({ value: undefined, done: true });
  });

  describe("is read on one chain:", () => {
    const where = { consumer: `0x${"12".repeat(20)}`, identityHash: `0x${"34".repeat(32)}` };

    it("nothing is reported while the wallet looks at another one, whenever it changes", async () => {
      // The identity is used on the first chain, and on no other.
      const state = { chainId: "0x14a34", reads: 0 };
      const wallet: Eip1193Connection = {
        async request({ method }) {
          if (method === "eth_chainId") return state.chainId;
          state.reads++;
          const { chainId } = state;
          await new Promise((resolve) => setTimeout(resolve, 2));
          return toBeHex(chainId === "0x14a34" ? 1 : 0, 32);
        },
      };
      const seen: boolean[] = [];
      const abort = new AbortController();
      for await (const used of watchIdentity(wallet, { ...where, interval: 1, signal: abort.signal })) {
        seen.push(used);
        if (seen.length > 1) break;
        for (let i = 0; i < 40; i++) {
          setTimeout(() => {
            state.chainId = i % 2 === 0 && i < 39 ? "0x1" : "0x14a34";
          }, i * 5);
        }
        setTimeout(() => abort.abort(), 300);
      }
      expect(seen).to.deep.equal([true]);
      expect(state.reads).to.be.above(5);
    });

    it("a wallet on another one than the given chain is refused, and not read as unused", async () => {
      const wallet: Eip1193Connection = {
        request: async ({ method }) => (method === "eth_chainId" ? "0x1" : toBeHex(0, 32)),
      };
      const read = () => isIdentityUsed(wallet, { ...where, block: "latest", chainId: 84532 });
      await expectFailure(read, "client_wrong_chain", "The wallet is on chain 1; this needs chain 84532.");
      const states = watchIdentity(wallet, {
        ...where,
        chainId: 84532,
        interval: 1,
        signal: AbortSignal.timeout(50),
      });
      expect(await states.next()).to.deep.equal({ value: undefined, done: true });
    });
  });

  it("is reported only when it changes, however often it is read", async () => {
    const { rpcUrl } = await serveLocalChain();
    const proxy = await serveProxy(rpcUrl);
    const { program, mint, enroll } = await fixture(connect(rpcUrl));
    const { identityHash } = await mint(program, "alice");
    const states = watchIdentity(connect(proxy.url), { consumer: program, identityHash, interval: 5 });
    expect((await states.next()).value).to.equal(false);
    const next = states.next();
    while (proxy.countRequests() < 4) await new Promise(setImmediate);
    await enroll(program, "alice");
    expect((await next).value).to.equal(true);
  });

  describe("before anything is sent", () => {
    const good = { consumer: `0x${"12".repeat(20)}`, identityHash: `0x${"34".repeat(32)}`, block: "latest" };
    const bad: [string, unknown, wanted: string][] = [
      ["consumer", "0x5FbDB2315678afecb367f032d93F642f64180aA3", "an address with its EIP-55 checksum"],
      ["identityHash", `0x${"34".repeat(31)}`, "32 bytes as hex after 0x"],
      ["round", "0x7", "32 bytes as hex after 0x"],
      ["mappingSlot", "0", "a hex integer of up to 32 bytes, such as 0x5"],
    ];
    for (const [argument, value, wanted] of bad) {
      it(`is refused with ${JSON.stringify(value)} as ${argument}`, async () => {
        let sent = 0;
        const connection: Eip1193Connection = { request: async () => ++sent };
        const options = { ...good, [argument]: value } as Parameters<typeof watchIdentity>[1] & {
          block: "latest";
        };
        for (const read of [isIdentityUsed, watchIdentity]) {
          await expectRefusal(
            () => read(connection, options),
            argument,
            `${wanted}, got ${JSON.stringify(value)}`,
          );
        }
        expect(sent).to.equal(0);
      });
    }
  });
});
