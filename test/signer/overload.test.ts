import { expect } from "chai";
import { Wallet } from "ethers";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { signedRequest, signInMessage } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";

/** A message that costs as much as one of 4 096 bytes can, and a signature that the node has to be asked about. */
function worstRequest(consumer: string) {
  const message = signInMessage({ address: Wallet.createRandom().address, consumer });
  const rest = 4_096 - message.length - "\n- a://".length;
  return { message: `${message}\n- a://${"!".repeat(rest)}`, signature: `0x${"11".repeat(65)}` };
}

describe("A client that sends more than can be done", () => {
  /** A service behind a proxy that tells clients apart, in front of a node whose answers can be held. */
  async function fixture() {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url } = await startTestSigner({
      IDENTITY_RPC_URL: proxy.url,
      IDENTITY_REGISTRY: stack.registry,
      IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
      IDENTITY_TRUST_PROXY: "1",
    });
    const { wallet, address } = await stack.participate();
    const good = await signedRequest(wallet, address);
    const answered: string[] = [];
    const ask = async (client: string, body: object) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": client };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/v1/onchain_verifications`, init);
      const { code } = (await response.json()) as { code?: string };
      answered.push(client);
      return { status: response.status, code, retryAfter: response.headers.get("retry-after") };
    };
    /** Has the node's answers wait until they are released. */
    const hold = () => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      proxy.batches.length = 0;
      proxy.behaviour = { answer: () => held };
      return () => {
        proxy.behaviour = {};
        release();
      };
    };
    return { url, proxy, consumer: address, good, ask, answered, hold };
  }

  const [flooder, other, third] = ["192.0.2.1", "192.0.2.2", "2001:db8::1"];
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

  it("does not keep another client waiting until all of it is done", async () => {
    const { consumer, good, ask, answered } = await fixture();
    const worst = worstRequest(consumer);
    const flood = times(40, () => ask(flooder, worst));
    expect((await ask(other, good)).status).to.equal(200);
    expect(answered.indexOf(other)).to.be.lessThan(30);
    // On a slow machine, some of it waits too long.
    for (const { status } of await Promise.all(flood)) expect(status).to.be.oneOf([400, 503]);
  });

  it("takes a share of the node's gas, and is refused when it has waited for more too long", async () => {
    const { proxy, consumer, good, ask, hold } = await fixture();
    const isAsked = () => proxy.batches.filter((batch) => batch.includes("eth_call")).length;
    const release = hold();
    const worst = worstRequest(consumer);
    const flood = times(20, () => ask(flooder, worst));
    while (isAsked() < 3) await new Promise((resolve) => setImmediate(resolve));
    const meanwhile = ask(other, good);
    while (!proxy.batches.some((batch) => batch.includes("eth_getBlockByNumber"))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const refused = await Promise.race(flood);
    expect(refused).to.include({ status: 503, code: "overloaded" });
    expect(Number(refused.retryAfter)).to.be.greaterThan(0);
    expect(isAsked()).to.equal(4);
    release();
    expect((await meanwhile).status).to.equal(200);
    const codes = (await Promise.all(flood)).map(({ code }) => code);
    expect(codes.filter((code) => code === "invalid_argument").length).to.be.at.least(3);
    expect(codes.every((code) => code === "invalid_argument" || code === "overloaded")).to.equal(true);
  });

  it("has one contract read at a time, however many it names", async () => {
    const { proxy, good, ask, hold } = await fixture();
    const isAsked = () => proxy.batches.filter((batch) => batch.includes("eth_call")).length;
    const untilAsked = async (count: number) => {
      while (isAsked() < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const wallet = Wallet.createRandom();
    const release = hold();
    const named = times(5, () => signedRequest(wallet, Wallet.createRandom().address));
    const flood = (await Promise.all(named)).map((body) => ask(flooder, body));
    await untilAsked(1);
    const meanwhile = ask(other, good);
    await untilAsked(2);
    expect(await Promise.race(flood)).to.include({ status: 503, code: "overloaded" });
    expect(isAsked()).to.equal(2);
    release();
    expect((await meanwhile).status).to.equal(200);
    const codes = (await Promise.all(flood)).map(({ code }) => code);
    expect(codes).to.include("contract_not_found");
  });

  it("has so much waiting and no more, which leaves room for others; and the metrics tell", async () => {
    const { url, good, ask, hold } = await fixture();
    const scrape = async (name: string) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const [, value] =
        new RegExp(`^identity_queue_${name}\\{queue="requests"\\} (\\d+)$`, "m").exec(text) ?? [];
      return value === undefined ? undefined : Number(value);
    };
    expect(await scrape("waiting")).to.equal(0);
    const release = hold();
    const least = 300 - 32 - 256;
    let told = 0;
    const flood = times(300, () => ask(flooder, good));
    await new Promise<void>((resolve) => {
      for (const asked of flood)
        void asked.then(({ code }) => code === "overloaded" && ++told === least && resolve());
    });
    const others = [ask(other, good), ask(third, good)];
    release();
    expect((await Promise.all(others)).map(({ status }) => status)).to.deep.equal([200, 200]);
    const outcomes = await Promise.all(flood);
    const refused = outcomes.filter(({ code }) => code === "overloaded");
    expect(refused.length).to.be.at.least(least);
    expect(outcomes.filter(({ status }) => status === 200)).to.have.length(300 - refused.length);
    expect(await scrape("refused_total")).to.equal(refused.length);
    expect(await scrape("waiting")).to.equal(0);
  });

  it("is told from others by its address, of IPv6 by the first 56 bits", async () => {
    const { good, ask, hold } = await fixture();
    const release = hold();
    const flood = times(300, () => ask("2001:db8::1", good));
    expect(await Promise.race(flood)).to.include({ code: "overloaded" });
    expect(await ask("2001:db8:0:ff::2", good)).to.include({ code: "overloaded" });
    const neighbour = ask("2001:db8:0:100::1", good);
    release();
    expect((await neighbour).status).to.equal(200);
    await Promise.all(flood);
  });
});
