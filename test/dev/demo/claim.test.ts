import { expect } from "chai";
import { Interface, Wallet } from "ethers";
import { connectNode, isSameChain } from "../../../packages/dev/demo/chain.ts";
import {
  type ClaimInput,
  claim,
  nameOutcome,
  type Outcome,
  type Step,
} from "../../../packages/dev/demo/claim.ts";
import { encodePlanned, listEntryPoints, listExamples } from "../../../packages/dev/demo/consumers.ts";
import { deploy, serveChainWithRegistry, serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A claim of the demo's", function () {
  this.timeout(30_000);
  let stack: Awaited<ReturnType<typeof startStack>>;
  let consumers: Record<string, string>;
  before(async () => {
    // Where the demo's page is, which the message that is signed names.
    Object.assign(globalThis, { location: new URL("http://127.0.0.1:3001/") });
    stack = await startStack();
    const { deployer, registry } = stack;
    const token = await deploy(deployer, "ExampleToken");
    consumers = {};
    for (const name of ["Airdrop", "VerifiedVault"]) {
      const args = name === "VerifiedVault" ? [registry, token.target] : [registry];
      consumers[name] = String((await deploy(deployer, name, args)).target);
    }
  });

  after(() => Reflect.deleteProperty(globalThis, "location"));

  let lastAccount = 1;

  /** Goes through a claim with an account of its own that meets the policy, unless a test says otherwise. */
  async function fixture(options: { consumer?: string; followers?: string; service?: string } = {}) {
    const { consumer: name = "Airdrop", followers = "1200", service = stack.url } = options;
    lastAccount += 1;
    const account = await (await stack.provider.getSigner(lastAccount)).getAddress();
    if (followers !== "") await stack.setCredential(account, { followers });
    const node = connectNode(stack.rpcUrl);
    const consumer = listExamples(consumers).find((each) => each.name === name);
    if (consumer === undefined) throw new Error(`There is no ${name}.`);
    const steps: Step[] = [];
    const config = {
      chainId: 84532,
      rpcUrl: stack.rpcUrl,
      registry: stack.registry,
      signerUrl: service,
      sandboxUrl: "",
      consumers,
      codes: {},
    };
    const go = (change: Partial<ClaimInput> = {}): Promise<Outcome> => {
      steps.length = 0;
      return claim({
        config,
        node,
        consumer,
        account,
        wallet: node,
        onStep: (step) => steps.push(step),
        onWait: () => undefined,
        ...change,
      });
    };
    return { account, node, go, kinds: () => steps.map(({ kind }) => kind), steps };
  }

  /** A service that answers every request so. */
  async function serve(status: number, code: string): Promise<string> {
    const { url } = await serveHttp((_request, response) => {
      // Longer than the client waits by itself.
      response.writeHead(status, { "content-type": "application/problem+json", "retry-after": "60" });
      response.end(JSON.stringify({ code, detail: "No." }));
    });
    return url;
  }

  it("is admitted, and tells each step with what travelled", async () => {
    const { account, go, kinds, steps } = await fixture();
    const outcome = await go();
    expect(outcome).to.include({ kind: "admitted" });
    expect(nameOutcome(outcome)).to.equal("admitted");
    expect(kinds()).to.deep.equal(["message", "signature", "verification", "call", "transaction", "receipt"]);
    const [message] = steps[0]?.pieces ?? [];
    expect(message?.text).to.include(`\n${account}\n`);
    const [request, response] = steps[2]?.pieces ?? [];
    expect(request?.text).to.match(/^POST http\S+\/v1\/onchain_verifications\n\n\{/);
    expect(JSON.parse(response?.text ?? "")).to.have.keys("identityHash", "expiration", "signature");
    expect(steps[3]).to.include({ calls: 1 });
    expect(Number(steps.at(-1)?.gasUsed)).to.be.within(90_000, 120_000);
  });

  it("matches the answers of a batch to its questions", async () => {
    const { url } = await serveHttp((_request, response) => {
      response.end(JSON.stringify([1, 0].map((id) => ({ jsonrpc: "2.0", id, result: `answer ${id}` }))));
    });
    const asked = [{ method: "eth_accounts" }, { method: "eth_chainId" }];
    expect(await connectNode(url).requestAll(asked)).to.deep.equal(["answer 0", "answer 1"]);
  });

  it("is refused by the contract for a second wallet of the same person, in words", async () => {
    const first = await fixture();
    expect(await first.go()).to.include({ kind: "admitted" });
    const again = await first.go();
    expect(again)
      .to.include({ kind: "reverted" })
      .and.property("error")
      .match(/^IdentityAlreadyUsed\(0x[0-9a-f]{64}\)$/);
    expect(nameOutcome(again)).to.equal("IdentityAlreadyUsed");
    expect(first.kinds().at(-1)).to.equal("revert");
  });

  it("leads to the verify page where the account is not proven, and says so where it is not enough", async () => {
    const stranger = await fixture({ followers: "" });
    const redirect = await stranger.go();
    expect(redirect).to.include({ kind: "redirect", code: "verification_not_found" });
    expect(nameOutcome(redirect)).to.equal("verification_not_found");
    expect(stranger.steps.at(-1)).to.include({ kind: "refusal", status: 404 });
    const poor = await fixture({ followers: "7" });
    const unmet = await poor.go();
    expect(unmet).to.deep.equal({ kind: "unmet" });
    expect(nameOutcome(unmet)).to.equal("conditions_not_satisfied");
  });

  it("says whose trouble it is: the person's, the node's, the service's or the chain's", async () => {
    const { go, node } = await fixture();
    const refusing: ClaimInput["wallet"] = {
      request: async (asked) => {
        if (asked.method === "personal_sign") throw Object.assign(new Error("No."), { code: 4001 });
        return node.request(asked);
      },
    };
    expect(await go({ wallet: refusing })).to.deep.equal({ kind: "trouble", trouble: "refused" });
    expect(await go({ wallet: connectNode("http://127.0.0.1:1") })).to.deep.equal({
      kind: "trouble",
      trouble: "node",
    });
    const text = "The service's answer is not a verification.";
    for (const [status, code, outcome] of [
      [503, "chain_unavailable", { kind: "trouble", trouble: "chain" }],
      [503, "overloaded", { kind: "trouble", trouble: "busy" }],
      [200, "", { kind: "failed", code: "client_invalid_response", text }],
      [404, "contract_not_found", { kind: "failed", code: "contract_not_found", text: "No." }],
      [500, "internal", { kind: "trouble", trouble: "internal" }],
    ] as const) {
      const { go, kinds } = await fixture({ service: await serve(status, code) });
      expect(await go(), code).to.deep.equal(outcome);
      expect(kinds().at(-1)).to.equal(status === 200 ? "signature" : "refusal");
    }
  });

  it("deposits by one batch that is atomic, of a token that it mints and approves first", async () => {
    const { account, go, kinds, node, steps } = await fixture({ consumer: "VerifiedVault", followers: "" });
    await stack.store.set({
      wallet: account,
      provider: "photo_social",
      accountId: account,
      traits: { followers_count: "120" },
      authenticatedAt: Math.floor(Date.now() / 1000),
    });
    const asked: { method: string; params: unknown }[] = [];
    const wallet: ClaimInput["wallet"] = {
      request(request) {
        asked.push({ method: request.method, params: request.params });
        return node.request(request);
      },
    };
    const before = await stack.provider.getBlockNumber();
    expect(await go({ wallet })).to.include({ kind: "admitted" });
    expect(await stack.provider.getBlockNumber()).to.equal(before + 1);
    expect(kinds().slice(-2)).to.deep.equal(["batch", "receipt"]);
    expect(steps.find(({ kind }) => kind === "call")).to.include({ calls: 3 });
    const sent = asked.find(({ method }) => method === "wallet_sendCalls");
    expect(sent?.params).to.have.nested.property("[0].atomicRequired", true);
  });
});

describe("Whether a wallet looks at the demo's chain", () => {
  it("is told by a block, for two chains may have one number and one registry", async () => {
    const [ours, theirs, empty] = [
      await serveChainWithRegistry(),
      await serveChainWithRegistry(),
      await serveLocalChain(),
    ];
    const registry = String(ours.registry.target);
    expect(theirs.registry.target).to.equal(registry);
    // Made in the same second, they would be one chain so far.
    for (const [value, { deployer }] of [ours, theirs].entries()) {
      await (await deployer.sendTransaction({ to: deployer.address, value })).wait();
    }
    const node = connectNode(ours.rpcUrl);
    const same = (url: string) => isSameChain(connectNode(url), node);
    expect(await same((await serveProxy(ours.rpcUrl)).url)).to.equal(true);
    expect(await same(theirs.rpcUrl)).to.equal(false);
    expect(await same(empty.rpcUrl)).to.equal(false);
    expect(await same("http://127.0.0.1:1")).to.equal(false);
  });
});

describe("The consumers of one's own that the demo can claim at", () => {
  const address = Wallet.createRandom().address;
  const list = (...functions: string[]) => {
    const abi = JSON.parse(new Interface(functions).formatJson());
    return listEntryPoints({ name: "Drop", address, abi });
  };
  const verification = "bytes32 identityHash, uint40 expiration, bytes signature";

  it("are those whose functions take a verification and nothing else, and change something", () => {
    const found = list(
      `function claim(${verification})`,
      `function check(${verification}) view returns (bool)`,
      `function hash(${verification}) pure returns (bytes32)`,
      `function vote(bool support, ${verification})`,
      "function claim(bytes32 identityHash, uint256 expiration, bytes signature)",
      `event claimed(${verification})`,
      `error refused(${verification})`,
    );
    expect(found.map(({ name, is }) => [name, is])).to.deep.equal([["Drop", { entryPoint: "claim" }]]);
  });

  it("have an entry for each such function, by its name, which is called with the verification", () => {
    const names = ["enter", "leave"];
    const found = list(...names.map((name) => `function ${name}(${verification}) payable`));
    expect(found.map(({ name }) => name)).to.deep.equal(["Drop.enter", "Drop.leave"]);
    const signed = { identityHash: `0x${"01".repeat(32)}`, expiration: 7, signature: "0x02" } as const;
    const calls = found.flatMap((each) => each.calls({ account: address, token: "" }));
    expect(calls.map((call) => encodePlanned(call, signed))).to.deep.equal(
      names.map((name) => ({
        to: address,
        data: new Interface([`function ${name}(${verification})`]).encodeFunctionData(
          name,
          Object.values(signed),
        ),
      })),
    );
  });
});
