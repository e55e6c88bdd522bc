import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import { connectNode } from "../../packages/dev/demo/chain.ts";
import { claim, nameOutcome, type Step } from "../../packages/dev/demo/claim.ts";
import { listExamples } from "../../packages/dev/demo/consumers.ts";
import { deploy } from "../fixtures/chain/localChain.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const readLanding = () => readFileSync(join(root, "docs/index.md"), "utf8");

const names = ["phone", "laptop", "bob"] as const;
type Recorded = Partial<Record<(typeof names)[number], RecordedClaim>>;

/** The messages of a claim in the story, and its outcome. */
interface RecordedClaim {
  readonly wallet: string;
  readonly message: string;
  readonly status: number;
  readonly response: string;
  readonly gasUsed: number;
  readonly outcome: string;
}

describe("The landing page", () => {
  it("shows the revert as Hardhat writes it, when the second wallet of a person claims", async () => {
    const { ethers, identity } = await network.create("identityLocal");
    const { address } = await identity.deployRegistry();
    const airdrop = await ethers.deployContract("Airdrop", [address]);
    const [, phone, laptop] = await ethers.getSigners();
    if (phone === undefined || laptop === undefined) throw new Error("There are no wallets.");
    const alice = { consumer: airdrop, identity: "alice" };
    const first = await identity.mint({ ...alice, user: phone });
    await airdrop.connect(phone).getFunction("claim")(...first.args);
    const second = await identity.mint({ ...alice, user: laptop });
    const refused: Error = await airdrop
      .connect(laptop)
      .getFunction("claim")(...second.args)
      .then(
        () => expect.fail("The laptop was let in."),
        (error) => error,
      );
    const [said = ""] = (refused.stack ?? "").split(/\n\s+at /);
    const short = said.replace(/.*(?=reverted with)/s, "").replace(/(0x\w{4})\w+(\w{4})/, "$1…$2");
    expect(readLanding()).to.include(`\`\`\`ansi\nError: ${short}\n\`\`\``);
  });

  describe("plays a story that was recorded, as the product still tells it", () => {
    const file = join(root, "docs/.vitepress/theme/recorded.json");
    const told: Recorded = {};
    before(async () => {
      // Where the demo's page is, which the message that is signed names.
      Object.assign(globalThis, { location: new URL("http://127.0.0.1:4000/") });
      const stack = await startStack();
      const { deployer, registry, rpcUrl, url } = stack;
      const address = String((await deploy(deployer, "Airdrop", [registry])).target);
      const [consumer] = listExamples({ Airdrop: address });
      if (consumer === undefined) throw new Error("There is no Airdrop.");
      const node = connectNode(rpcUrl);
      const wallets = (await node.request({ method: "eth_accounts" })) as string[];
      const config = {
        chainId: 84532,
        rpcUrl,
        registry,
        signerUrl: url,
        sandboxUrl: "",
        codes: {},
        consumers: { Airdrop: address },
      };
      const accounts = { phone: ["1001", "1200"], laptop: ["1001", "1200"], bob: ["1002", "12"] } as const;
      for (const [i, name] of names.entries()) {
        const wallet = wallets[i + 1] ?? "";
        const [accountId, followers] = accounts[name];
        const proven = { wallet, provider: "microblog", accountId, traits: { followers } };
        await stack.store.set({ ...proven, authenticatedAt: Math.floor(Date.now() / 1000) });
        const steps: Step[] = [];
        const outcome = await claim({
          config,
          node,
          consumer,
          account: wallet,
          wallet: node,
          onStep: (step) => steps.push(step),
          onWait: () => undefined,
        });
        const find = (kind: string) =>
          steps.flatMap(({ pieces }) => pieces).find((each) => each.kind === kind);
        told[name] = {
          wallet,
          message: find("message")?.text ?? "",
          status: steps.find(({ status }) => status !== undefined)?.status ?? 0,
          response: find("response")?.text ?? "",
          gasUsed: steps.find(({ gasUsed }) => gasUsed !== undefined)?.gasUsed ?? 0,
          outcome:
            outcome.kind === "reverted" ? `${outcome.error}: ${outcome.meaning}` : nameOutcome(outcome),
        };
      }
      if (process.env.UPDATE_STORY !== undefined) writeFileSync(file, `${JSON.stringify(told, null, 2)}\n`);
    });
    after(() => Reflect.deleteProperty(globalThis, "location"));

    /** The parts that do not depend on a claim's time. */
    const lasting = (story: Recorded) =>
      names.map((name) => {
        const { wallet, status, response, gasUsed, outcome } = story[name] ?? {};
        const { identityHash, code, detail } = JSON.parse(response ?? "");
        // A byte of the signature that is zero costs less.
        const gas = Math.round((gasUsed ?? 0) / 1_000);
        return { wallet, status, identityHash, code, detail, gas, outcome };
      });

    it("with the same answers and endings; UPDATE_STORY=1 records it anew", () => {
      expect(lasting(JSON.parse(readFileSync(file, "utf8")))).to.deep.equal(lasting(told));
    });
  });
});
