import { expect } from "chai";
import { type Contract, toQuantity } from "ethers";
import { waitForReceipt, watchIdentity } from "../../packages/client/index.ts";
import { development } from "../../packages/protocol/development.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { connect } from "../fixtures/chain/nodes.ts";
import { refusePending } from "../fixtures/chain/pendingRefusals.ts";
import { type Behaviour, hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { runTestWatch } from "../fixtures/signer/runningWatch.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { ownSecrets } from "../fixtures/signer/stack.ts";
import { forgeVerification, watchedRegistry } from "../fixtures/signer/watchedRegistry.ts";

/** How nodes of a chain with five blocks a second answer for `pending`. */
const kinds: Readonly<Record<string, Behaviour>> = {
  "refuses pending as an invalid parameter": refusePending({
    code: -32602,
    message: "TAG pending not supported",
  }),
  "has no pending block": refusePending({ code: -32000, message: "pending block is not available" }),
  "answers latest for pending": {},
};

interface Block {
  readonly number: number;
  readonly time: number;
}

/**
 * A registry with its service and a consumer, on a chain with a block each 200 ms. Service and watch take the node for one of
 * a public chain.
 */
async function fixture(behaviour: Behaviour) {
  const chain = await serveChainWithRegistry({ blockMs: 200, late: 0 });
  const { instead } = behaviour;
  const proxy = await serveProxy(chain.rpcUrl, {
    instead: (call) => hideLocalNode.instead?.(call) ?? instead?.(call),
  });
  const secrets = { ...ownSecrets(), IDENTITY_RPC_URL: proxy.url };
  const watched = await watchedRegistry(secrets, chain);
  await (await watched.registryContract.getFunction("addSigner")(watched.service.signer)).wait();
  const node = connect(proxy.url);
  const near: Eip1193Connection = {
    request: ({ method, params = [] }) => chain.provider.send(method, [...(params as unknown[])]),
  };

  async function readBlock(at: number | "latest"): Promise<Block | undefined> {
    const tag = typeof at === "number" ? toQuantity(at) : at;
    const found = await near.request({ method: "eth_getBlockByNumber", params: [tag, false] });
    return found === null
      ? undefined
      : { number: Number(Object(found).number), time: Number(Object(found).timestamp) };
  }

  /** The blocks of the seconds from now on, of which there are so many, each complete and with several blocks. */
  async function readSeconds(count: number): Promise<Block[][]> {
    const start = await readBlock("latest");
    const seconds = new Map<number, Block[]>();
    for (let next = start?.number ?? 0; ; ) {
      const block = await readBlock(next);
      if (block === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      next++;
      seconds.set(block.time, (seconds.get(block.time) ?? []).concat(block));
      // The first one had begun before, and the last one goes on.
      const whole = [...seconds.values()].slice(1, -1).filter((blocks) => blocks.length > 1);
      if (whole.length === count) return whole;
    }
  }
  return { ...watched, chain, node, near, readBlock, readSeconds };
}

const lastOf = (blocks: readonly Block[] = []): Block => blocks.at(-1) ?? { number: 0, time: 0 };

for (const [kind, behaviour] of Object.entries(kinds)) {
  describe(`On a chain with five blocks a second whose node ${kind}`, function () {
    this.timeout(180_000);
    let stack: Awaited<ReturnType<typeof fixture>>;
    // The suite's, because each chain takes its time.
    before(async () => {
      stack = await fixture(behaviour);
    });

    it("several blocks share each second, and the chain's clock is that of the wall", async () => {
      const { readSeconds } = stack;
      const seconds = await readSeconds(4);
      const sizes = seconds.map((blocks) => blocks.length);
      expect(Math.max(...sizes), `${sizes}`).to.be.at.least(3);
      expect(lastOf(seconds.at(-1)).time).to.be.closeTo(Math.round(Date.now() / 1_000), 10);
    });

    it("a verification holds through the last block of its expiration's second, and in none of the next second", async () => {
      const { consumer, registryContract, readSeconds, account, near } = stack;
      const [of = [], after = []] = await readSeconds(2);
      const expiration = of[0]?.time ?? 0;
      const { identityHash, signature } = await forgeVerification(registryContract, {
        consumer: String(consumer.target),
        user: account.address,
        identityHash: `0x${"77".repeat(32)}`,
        expiration,
        signingKey: development.signingKey,
      });
      const data = consumer.interface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
      const holds = async ({ number }: Block) => {
        const call = { from: account.address, to: consumer.target, data };
        const asked = near.request({ method: "eth_call", params: [call, toQuantity(number)] });
        return await asked.then(
          () => true,
          () => false,
        );
      };
      expect(await Promise.all(of.map(holds))).to.deep.equal(of.map(() => true));
      expect(await Promise.all(after.map(holds))).to.deep.equal(after.map(() => false));
    });

    it("the service signs for its lifetime from the chain's time, and what it signs is claimed", async () => {
      const { addWallet, requestFor, enroll, consumer, readBlock, service } = stack;
      const wallet = await addWallet();
      const before = await readBlock("latest");
      const verification = await requestFor(wallet, String(consumer.target));
      const after = await readBlock("latest");
      const lifetime = service.config.verificationLifetime;
      expect(verification.expiration).to.be.at.least((before?.time ?? 0) + lifetime - 1);
      expect(verification.expiration).to.be.at.most((after?.time ?? 0) + lifetime + 10);
      await enroll(consumer, wallet, verification);
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    });

    it("a cutoff at any block of a second lets in who verified in that second, and at the next second's nobody of it", async () => {
      const { deployConsumer, addWallet, url, readSeconds } = stack;
      const consumer = (await deployConsumer()) as Contract;
      const [first = [], second = []] = await readSeconds(2);
      const verifiedAt = first[0]?.time ?? 0;
      const early = await addWallet({ authenticatedAt: verifiedAt });
      const late = await addWallet({ authenticatedAt: second[0]?.time ?? 0 });
      const ask = async (wallet: typeof early) => {
        const { status, body } = await requestVerification(
          url,
          await signedRequest(wallet, String(consumer.target)),
        );
        return body.code ?? status;
      };
      const moveTo = async ({ number }: Block) => {
        await (await consumer.getFunction("setCutoffBlock")(number)).wait();
        // The greatest age of what the service has read.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      };
      await moveTo(first[0] ?? lastOf());
      expect([await ask(early), await ask(late)]).to.deep.equal([200, 200]);
      await moveTo(lastOf(first));
      expect([await ask(early), await ask(late)]).to.deep.equal([200, 200]);
      await moveTo(second[0] ?? lastOf());
      expect([await ask(early), await ask(late)]).to.deep.equal(["needs_reauth", 200]);
      await moveTo(lastOf(second));
      expect([await ask(early), await ask(late)]).to.deep.equal(["needs_reauth", 200]);
    });

    it("a cutoff that counts blocks rises too often within seconds, and the service refuses the contract", async () => {
      const { deployConsumer, addWallet, url, readBlock } = stack;
      const consumer = (await deployConsumer()) as Contract;
      const wallet = await addWallet();
      const codes: unknown[] = [];
      for (let rises = 0; rises <= 5; rises++) {
        const { number } = (await readBlock("latest")) ?? lastOf();
        // The contract of somebody who takes five blocks for ten seconds.
        await (await consumer.getFunction("setCutoffBlock")(Math.floor(number / 5))).wait();
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        const asked = await signedRequest(wallet, String(consumer.target));
        const { status, body } = await requestVerification(url, asked);
        codes.push(body.code ?? status);
      }
      expect(codes).to.deep.equal([200, 200, 200, 200, 200, "invalid_policy"]);
    });

    it("the client watches an identity from unused to used, and waits for a receipt", async () => {
      const { addWallet, requestFor, enroll, consumer, node, near } = stack;
      const wallet = await addWallet();
      const verification = await requestFor(wallet, String(consumer.target));
      const { identityHash } = verification;
      const states = watchIdentity(node, { consumer: String(consumer.target), identityHash, chainId: 84532 });
      expect((await states.next()).value).to.equal(false);
      const next = states.next();
      await enroll(consumer, wallet, verification);
      const claimed = performance.now();
      expect((await next).value).to.equal(true);
      // Its interval is 200 ms; a busy machine is slower.
      expect(performance.now() - claimed).to.be.below(5_000);
      await states.return();

      const [from] = (await near.request({ method: "eth_accounts" })) as string[];
      const params = [{ from, to: from, gas: "0x5208" }];
      const hash = String(await near.request({ method: "eth_sendTransaction", params }));
      expect(await waitForReceipt(node, { hash })).to.include({ status: "0x1" });
    });

    it("the watch names the forged claim among honest ones in blocks of the same seconds, and has no trouble", async () => {
      const { environment, service, consumer, forge, claim, claimHonestly, readSeconds } = stack;
      const watching = await runTestWatch(environment, {
        readKnownSigners: async () => new Set([service.signer]),
      });
      onCleanup(watching.stop);
      await Promise.all([claimHonestly(consumer), claimHonestly(consumer)]);
      const signingKey = environment.IDENTITY_SIGNING_KEY ?? "";
      const forged = await claim(consumer, await forge(consumer, "mallory", { signingKey }));
      await Promise.all([claimHonestly(consumer), claimHonestly(consumer)]);
      const [told] = await watching.waitFor("forged", 60_000);
      expect(Object(told).finding).to.include(forged);
      // Some looks more, at tens of blocks.
      await readSeconds(4);
      expect(watching.of("forged")).to.have.length(1);
      const troubles = watching.events.filter(
        ({ event }) => !["watching", "forged", "judged-in-part"].includes(event),
      );
      expect(troubles).to.deep.equal([]);
      await watching.stop();
    });
  });
}
