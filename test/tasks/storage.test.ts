import { expect } from "chai";
import { BaseContract } from "ethers";
import { artifacts } from "hardhat";
import { identityPosition } from "../../packages/client/index.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { mintVerification } from "../../tasks/internal/consumer/mint.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { refusePending } from "../fixtures/chain/pendingRefusals.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("identity storage", () => {
  let port: string;
  let url: string;
  let consumer: string;
  let identityHash: string;

  before(async () => {
    const { rpcUrl, provider, deployer, registry } = await serveChainWithRegistry();
    consumer = await (await deploy(deployer, "IncentiveProgram", [registry.target])).getAddress();
    const node: Eip1193Connection = {
      request: ({ method, params }) => provider.send(method, (params as unknown[]) ?? []),
    };
    const { verification } = await mintVerification(node, {
      consumer,
      user: deployer.address,
      identity: "alice",
    });
    identityHash = verification.identityHash;
    const { abi } = await artifacts.readArtifact("IncentiveProgram");
    const program = new BaseContract(consumer, abi, deployer);
    await provider.send("evm_setAutomine", [false]);
    const { expiration, signature } = verification;
    await program.getFunction("enroll")(identityHash, expiration, signature);
    url = rpcUrl;
    port = announce({ rpcUrl });
  });

  const run = (...args: string[]) => runHardhat(["identity", "storage", ...args, "--port", port]);

  it("prints whether an identity is used at a given block", async () => {
    const identity = ["--consumer", consumer, "--identity-used", identityHash, "--json"];
    const pending = await run(...identity, "--block", "pending");
    expect(JSON.parse(pending.stdout)).to.deep.equal({
      address: consumer,
      position: identityPosition({ identityHash }),
      block: "pending",
      value: `0x${"1".padStart(64, "0")}`,
      identityHash,
      used: true,
    });
    const latest = await run(...identity);
    expect(JSON.parse(latest.stdout)).to.include({ block: "latest", used: false });
    expect([pending.code, latest.code]).to.deep.equal([0, 0]);
  });

  it("says that it read the latest block where the node refuses pending", async () => {
    const proxy = await serveProxy(
      url,
      refusePending({ code: -32602, message: "TAG pending not supported" }),
    );
    const away = announce({ rpcUrl: proxy.url });
    const asked = ["--consumer", consumer, "--identity-used", identityHash, "--block", "pending"];
    const { code, stdout } = await runHardhat(["identity", "storage", ...asked, "--port", away, "--json"]);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ block: "latest", used: false });
    const people = await runHardhat(["identity", "storage", ...asked, "--port", away]);
    expect(people.stdout).to.match(/^block +latest$/m);
  });

  it("looks an identity up in a round, by number or hex, and in a mapping at another slot", async () => {
    const at = async (...args: string[]) => {
      const asked = ["--consumer", consumer, "--identity-used", identityHash, "--json"];
      const { code, stdout } = await run(...asked, "--block", "pending", ...args);
      const { position, used } = JSON.parse(stdout);
      return { code, position, used };
    };
    const round = `0x${(250).toString(16).padStart(64, "0")}`;
    const ofRound = identityPosition({ identityHash, round });
    expect(await at("--round", "250")).to.deep.equal({ code: 0, position: ofRound, used: false });
    expect(await at("--round", round)).to.deep.equal({ code: 0, position: ofRound, used: false });
    const first = identityPosition({ identityHash });
    expect(await at("--round", "0")).to.deep.equal({ code: 0, position: first, used: true });
    const mappingSlot = "0x5";
    const elsewhere = identityPosition({ identityHash, mappingSlot });
    expect(await at("--mapping-slot", mappingSlot)).to.deep.include({ position: elsewhere, used: false });
    const both = identityPosition({ identityHash, round, mappingSlot });
    expect(await at("--mapping-slot", mappingSlot, "--round", "250")).to.deep.include({ position: both });
    expect(new Set([ofRound, first, elsewhere, both]).size).to.equal(4);
  });

  it("reads a slot", async () => {
    const { stdout, code } = await run("--address", consumer, "--position", "0x0");
    expect(stdout).to.match(new RegExp(`^value +0x${"0".repeat(64)}$`, "m"));
    expect(stdout).not.to.include("used");
    expect(code).to.equal(0);
  });

  it("names the option that it refuses", async () => {
    const refused: [string, string[]][] = [
      ["--position", ["--address", consumer, "--position", "5"]],
      ["--block", ["--address", consumer, "--position", "0x0", "--block", "7"]],
      [
        "--mapping-slot",
        ["--consumer", consumer, "--identity-used", identityHash, "--mapping-slot", "first"],
      ],
      ["--identity-used", ["--address", consumer, "--identity-used", identityHash]],
      ["--round", ["--consumer", consumer, "--identity-used", identityHash, "--round", "first"]],
      ["--round", ["--consumer", consumer, "--identity-used", identityHash, "--round", String(2n ** 256n)]],
      ...[
        ["--round", "1"],
        ["--mapping-slot", "0x5"],
        ["--consumer", consumer],
      ].map((beside): [string, string[]] => [
        "--consumer, --round and --mapping-slot",
        ["--address", consumer, "--position", "0x0", ...beside],
      ]),
      [
        "--identity-used goes with --consumer, not with",
        ["--consumer", consumer, "--identity-used", identityHash, "--position", "0x0"],
      ],
    ];
    const answers = await Promise.all(refused.map(([, args]) => run(...args, "--json")));
    expect(answers.map(({ code }) => code)).to.deep.equal(refused.map(() => 1));
    for (const [i, { stdout }] of answers.entries()) {
      expect(JSON.parse(stdout).error.message).to.match(new RegExp(`^${refused[i]?.[0]} `));
    }
  });
});
