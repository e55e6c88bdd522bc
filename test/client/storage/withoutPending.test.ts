import { expect } from "chai";
import { toBeHex } from "ethers";
import {
  encodeCall,
  getStorageAt,
  isIdentityUsed,
  sendCall,
  waitForReceipt,
  watchIdentity,
} from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { deployConsumers } from "../../fixtures/chain/consumer.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { connect } from "../../fixtures/chain/nodes.ts";
import { asksForPending, pendingRefusals, refusePending } from "../../fixtures/chain/pendingRefusals.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { expectRefusal, identityError } from "../../fixtures/client/identityError.ts";

const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
const where = { consumer: `0x${"12".repeat(20)}`, identityHash: `0x${"34".repeat(32)}` };

/** A consumer that has admitted Alice and not Bob, and a proxy in front of its node. */
async function fixture() {
  const { rpcUrl } = await serveLocalChain();
  const proxy = await serveProxy(rpcUrl);
  const node = connect(rpcUrl);
  const { identity, user, consumers } = await deployConsumers(node, "IncentiveProgram");
  const [consumer = ""] = consumers;
  const mint = (name: string) => identity.mint({ consumer, user, identity: name });
  const send = async (name: string, through: Eip1193Connection = node) => {
    const data = encodeCall({ abi, verification: await mint(name) });
    return sendCall(through, { from: user, chainId: 84532, to: consumer, data });
  };
  await waitForReceipt(node, { hash: await send("alice"), interval: 10 });
  const [alice, bob] = [await mint("alice"), await mint("bob")];
  return { proxy, far: connect(proxy.url), consumer, alice, bob, send, node };
}

describe("On a node without a pending block", () => {
  let chain: Awaited<ReturnType<typeof fixture>>;
  before(async () => {
    chain = await fixture();
  });

  for (const [who, refusal] of Object.entries(pendingRefusals)) {
    it(`reads go on at latest after the refusal of ${who}`, async () => {
      const { proxy, far, consumer, alice, bob } = chain;
      proxy.behaviour = refusePending(refusal);
      const used = ({ identityHash }: typeof alice) =>
        isIdentityUsed(far, { consumer, identityHash, block: "pending", chainId: 84532 });
      expect([await used(alice), await used(bob)]).to.deep.equal([true, false]);
      expect(await getStorageAt(far, { address: consumer, position: "0x0", block: "pending" })).to.match(
        /^0x0{64}$/,
      );
      const { identityHash } = alice;
      const states = watchIdentity(far, { consumer, identityHash, interval: 10 });
      expect(await states.next()).to.deep.equal({ value: true, done: false });
      await states.return();
    });
  }

  it("reads go on at latest if the refusal has the HTTP status 400 and a library hides its body", async () => {
    const { proxy, far, consumer, alice } = chain;
    proxy.behaviour = { refuse: (calls) => (calls.some(asksForPending) ? { status: 400 } : undefined) };
    const { identityHash } = alice;
    expect(await isIdentityUsed(far, { consumer, identityHash, block: "pending" })).to.equal(true);
  });

  it("a watch asks for pending once, and sees the next claim at latest", async () => {
    const { proxy, far, consumer, send, node } = chain;
    const asked: unknown[] = [];
    proxy.behaviour = {
      instead(call) {
        if (call.method === "eth_getStorageAt") asked.push(call.params?.[2]);
        return refusePending({ code: -32000, message: "pending block is not available" }).instead?.(call);
      },
    };
    const { identityHash } = chain.bob;
    const states = watchIdentity(far, { consumer, identityHash, interval: 5 });
    expect((await states.next()).value).to.equal(false);
    const next = states.next();
    await waitForReceipt(node, { hash: await send("bob"), interval: 10 });
    expect((await next).value).to.equal(true);
    await states.return();
    expect(asked.filter((tag) => tag === "pending")).to.have.length(1);
    expect(asked[0]).to.equal("pending");
  });

  it("a claim that reverts is still found out before the wallet is asked to send it", async () => {
    const { proxy, far, send } = chain;
    proxy.behaviour = refusePending({ code: -32602, message: "TAG pending not supported" });
    const sent = proxy.batches.length;
    const error = await identityError(() => send("alice", far));
    expect(error).to.include({ code: "client_reverted" });
    const methods = proxy.batches.slice(sent).flat();
    expect(methods).to.include("eth_call").and.not.include("eth_sendTransaction");
  });
});

describe("A watch of an identity", () => {
  /** A node whose slot holds a word for each tag; an answer that is an error is thrown. */
  function nodeWith(answers: (tag: string, count: number) => number | Error) {
    const asked: string[] = [];
    const node: Eip1193Connection = {
      async request({ method, params }) {
        if (method === "eth_chainId") return "0x14a34";
        const tag = String(Object(params)[2]);
        asked.push(tag);
        const answer = answers(tag, asked.length);
        if (answer instanceof Error) throw answer;
        return toBeHex(answer, 32);
      },
    };
    return { node, asked };
  }
  const refusal = (name: keyof typeof pendingRefusals) =>
    Object.assign(new Error("No."), pendingRefusals[name]);

  it("reads at latest alone if that is asked for", async () => {
    const { node, asked } = nodeWith((tag) => (tag === "pending" ? 1 : 0));
    const states = watchIdentity(node, { ...where, block: "latest", interval: 1 });
    expect((await states.next()).value).to.equal(false);
    await states.return();
    expect(new Set(asked)).to.deep.equal(new Set(["latest"]));
  });

  it("keeps to pending while the node limits its rate, and yields nothing of latest", async () => {
    const limited = Object.assign(new Error("over rate limit"), { code: -32016 });
    const { node, asked } = nodeWith((tag, count) => (count < 3 ? limited : tag === "pending" ? 1 : 0));
    const states = watchIdentity(node, { ...where, interval: 1 });
    expect((await states.next()).value).to.equal(true);
    await states.return();
    expect(new Set(asked)).to.deep.equal(new Set(["pending"]));
  });

  it("goes on at latest if the node has a pending block no more, as geth while it cannot build one", async () => {
    const { node, asked } = nodeWith((tag, count) =>
      tag === "pending" && count > 4 ? refusal("geth, without the block") : tag === "pending" ? 1 : 0,
    );
    const states = watchIdentity(node, { ...where, interval: 1 });
    expect((await states.next()).value).to.equal(true);
    expect((await states.next()).value).to.equal(false);
    await states.return();
    expect(asked.lastIndexOf("pending")).to.be.below(asked.indexOf("latest"));
  });

  it("ends with the error of latest if the node refuses that, too", async () => {
    const { node } = nodeWith((tag) => Object.assign(new Error(`No ${tag}.`), { code: -32602 }));
    const error = await identityError(() => watchIdentity(node, { ...where, interval: 1 }).next());
    expect(error).to.include({ code: "client_rpc_error", rpcCode: -32602 });
    expect(error.message).to.equal("eth_getStorageAt was refused: No latest.");
  });

  for (const block of ["safe", "0x1", "Pending", 7]) {
    it(`refuses ${JSON.stringify(block)} as block`, async () => {
      const { node, asked } = nodeWith(() => 0);
      const options = { ...where, block } as unknown as Parameters<typeof watchIdentity>[1];
      await expectRefusal(
        () => watchIdentity(node, options),
        "block",
        `pending or latest, got ${JSON.stringify(block)}`,
      );
      expect(asked).to.deep.equal([]);
    });
  }
});
