import { expect } from "chai";
import { type Contract, concat, dataLength, hexlify, id, Wallet } from "ethers";
import fc from "fast-check";
import type { Condition } from "../../protocol/policy.ts";
import { encodePolicy } from "../../protocol/policyEncoding.ts";
import { deploy } from "../fixtures/localChain.ts";
import { signedRequest, signInMessage } from "../fixtures/signIn.ts";
import { startStack } from "../fixtures/stack.ts";

/** What the service may answer to something that a client made up. */
const clientErrors = [400, 404, 413, 415];

describe("Whatever is sent", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;
  let wallet: Awaited<ReturnType<typeof stack.addWallet>>;
  let address: string;
  let good: { message: string; signature: string };

  before(async () => {
    stack = await startStack();
    ({ wallet, address } = await stack.participate());
    good = await signedRequest(wallet, address);
  });

  // The service is as it was: it serves, it logged no failure of its own, and its store is unchanged.
  afterEach(async () => {
    expect((await post(JSON.stringify(await signedRequest(wallet, address)))).status).to.equal(200);
    const failures = stack.service.log.filter((line) => JSON.parse(line).level >= 40);
    expect(failures).to.deep.equal([]);
    expect(await stack.store.list()).to.have.length(1);
  });

  async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const response = await fetch(`${stack.url}/v1/onchain_verifications`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    return { status: response.status, body: (await response.json()) as { code?: string } };
  }

  async function expectClientError(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) {
    const answer = await post(body, headers);
    expect(clientErrors, JSON.stringify(answer.body)).to.include(answer.status);
    expect(answer.body.code).to.be.a("string");
  }

  it("as a body: any bytes, of any type and encoding, get a 4xx", async () => {
    const header = fc.constantFrom(
      {},
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-encoding": "gzip" },
      { "content-encoding": "identity" },
      { "transfer-encoding": "chunked" },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), header, async (bytes, headers) => {
        const { "transfer-encoding": _ignored, ...sent } = headers as Record<string, string>;
        await expectClientError(new Uint8Array(bytes), sent);
      }),
      { numRuns: 150 },
    );
  });

  it("as a body: any JSON gets a 4xx", async () => {
    const member = fc.oneof(fc.json(), fc.constant(JSON.stringify(good.message)), fc.string());
    const body = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc
        .tuple(member, member)
        .map(([message, signature]) => `{"message":${message},"signature":${signature}}`),
      fc
        .dictionary(fc.constantFrom("message", "signature", "__proto__", "x"), fc.jsonValue())
        .map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(body, (text) => expectClientError(text)),
      { numRuns: 200 },
    );
  });

  it("as a body: a good one with a change in it gets a 4xx, or the answer to the good one", async () => {
    const text = JSON.stringify(good);
    const change = fc.tuple(fc.nat(text.length), fc.nat(3), fc.string({ unit: "binary", maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, removed, added]) => {
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        const { status } = await post(changed);
        expect([200, ...clientErrors]).to.include(status);
        // Only what means the same can be served: white space, and hex digits in another case.
        if (status === 200) {
          const parsed = JSON.parse(changed);
          expect(parsed.message).to.equal(good.message);
          expect(parsed.signature.toLowerCase()).to.equal(good.signature);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("as a message, rightly signed: any text with lines of a good one gets an answer, never a 5xx", async () => {
    const lines = signInMessage({ address: wallet.address, consumer: address }).split("\n");
    const line = fc.oneof(
      fc.constantFrom(...lines),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.webUrl().map((url) => `- ${url}`),
      fc.tuple(fc.nat(99_999), fc.string()).map(([chain, text]) => `- eip155:${chain}:${text}`),
      fc
        .date({ noInvalidDate: false })
        .map((date) => `Expiration Time: ${Number(date) ? date.toISOString() : date}`),
    );
    const edit = fc.tuple(fc.nat(lines.length), fc.nat(2), line);
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const edited = [...lines];
        for (const [at, removed, added] of edits) edited.splice(at, removed, added);
        const message = edited.join("\n").replace(/\p{Surrogate}/gu, "?");
        const { status } = await post(
          JSON.stringify({ message, signature: await wallet.signMessage(message) }),
        );
        expect([200, ...clientErrors]).to.include(status);
      }),
      { numRuns: 200 },
    );
  });

  it("as a signature: any bytes, in ERC-6492's wrapper too, get a 4xx", async () => {
    const suffix = `0x${"6492".repeat(16)}`;
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => hexlify(array));
    const signature = fc.oneof(
      bytes,
      bytes.map((inner) => concat([inner, suffix])),
      fc.tuple(fc.nat(63), fc.nat(255)).map(([at, byte]) => {
        const array = Buffer.from(good.signature.slice(2), "hex");
        array[at] = (array[at] ?? 0) ^ (byte || 1);
        return hexlify(array);
      }),
    );
    await fc.assert(
      fc.asyncProperty(signature, async (changed) => {
        await expectClientError(JSON.stringify({ ...good, signature: changed }));
      }),
      { numRuns: 200 },
    );
  });

  it("as a policy: whatever a contract answers gets an answer, never a 5xx", async () => {
    const consumer = (await deploy(stack.deployer, "ScriptedConsumer")) as Contract;
    const request = JSON.stringify(await signedRequest(wallet, await consumer.getAddress()));
    const condition = fc.record<Condition>({
      name: fc.oneof(
        fc.constantFrom("followers", "verified", "verified_type"),
        fc.string({ maxLength: 300 }),
      ),
      op: fc.oneof(fc.constantFrom("eq", "gt", "gte", "lt", "lte", "in"), fc.string()),
      value: fc.oneof(fc.bigInt().map(String), fc.boolean().map(String), fc.string({ unit: "binary" })),
    });
    const policy = fc
      .record({
        provider: fc.oneof(fc.constantFrom("microblog", "exchange"), fc.string({ maxLength: 300 })),
        conditions: fc.array(condition, { maxLength: 40 }),
      })
      .map(encodePolicyOf);
    const damaged = fc
      .tuple(policy, fc.nat(), fc.uint8Array({ maxLength: 40 }), fc.boolean())
      .map(([encoded, at, bytes, first]) => {
        const damage = (data: string) => {
          const start = 2 + 2 * (at % (dataLength(data) + 1));
          const added = hexlify(bytes).slice(2);
          return `${data.slice(0, start)}${added}${data.slice(start + added.length)}`;
        };
        return first
          ? { ...encoded, provider: damage(encoded.provider) }
          : { ...encoded, conditions: damage(encoded.conditions) };
      });
    const anything = fc.record({ provider: hex(), conditions: hex() });
    const cutoff = fc.oneof(hex(), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(word));
    const to = await consumer.getAddress();
    const script = (getter: string, reverts: boolean, data: string) => {
      const args = [id(getter).slice(0, 10), reverts, data];
      const transaction = {
        from: stack.deployer.address,
        to,
        data: consumer.interface.encodeFunctionData("script", args),
      };
      return stack.provider.send("eth_sendTransaction", [transaction]);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(policy, damaged, anything),
        cutoff,
        fc.nat(20),
        async (encoded, cutoffBlock, reverting) => {
          await Promise.all([
            script("provider()", reverting === 0, encoded.provider),
            script("conditions()", reverting === 1, encoded.conditions),
            script("cutoffBlock()", reverting === 2, cutoffBlock),
          ]);
          const { status, body } = await post(request);
          expect([200, 400, 404], JSON.stringify(body)).to.include(status);
        },
      ),
      { numRuns: 150 },
    );
  }).timeout(120_000);

  it("as another wallet's: no change of the message makes it anybody else's verification", async () => {
    const message = signInMessage({ address: Wallet.createRandom().address, consumer: address });
    await expectClientError(JSON.stringify({ message, signature: await wallet.signMessage(message) }));
  });
});

const hex = () => fc.uint8Array({ maxLength: 300 }).map((bytes) => hexlify(bytes));
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

function encodePolicyOf(policy: { provider: string; conditions: Condition[] }) {
  const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "?");
  return encodePolicy({
    provider: wellFormed(policy.provider),
    conditions: policy.conditions.map(({ name, op, value }) => ({
      name: wellFormed(name),
      op: wellFormed(op),
      value: wellFormed(value),
    })),
  });
}
