import { expect } from "chai";
import { Interface } from "ethers";
import hre, { network } from "hardhat";
import type { Attacked } from "../../packages/attack/internal/attack.ts";
import { deployForAttack } from "../../packages/attack/internal/deploy.ts";
import { describeAttacks } from "../../packages/attack/internal/describe.ts";
import { leaveOutIgnored } from "../../packages/attack/internal/ignored.ts";
import { attackNames, type Tried } from "../../packages/attack/internal/rehearse.ts";
import { composeSarif } from "../../packages/attack/internal/sarif.ts";
import { openStage } from "../../packages/attack/internal/stage.ts";
import { accountOf, attackWallets } from "../../packages/attack/wallets.ts";
import { readConsumers } from "../../tasks/internal/lint/project.ts";
import type { Finding } from "../../tasks/internal/testing/attack.ts";
import { changeNode } from "../fixtures/chain/changeNode.ts";
import { rejection } from "../fixtures/rejection.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { lineOf, readGuide } from "../fixtures/tasks/lintProject.ts";

async function deployed(name: string) {
  const { ethers, identity, provider } = await network.create("identityLocal");
  const registry = await identity.deployRegistry();
  return { identity, provider, contract: await ethers.deployContract(name, [registry]) };
}

describe("identity.attack", () => {
  it("finds nothing in an example, and leaves the chain as it was", async () => {
    const { identity, provider, contract } = await deployed("IncentiveProgram");
    const state = async () => [
      await provider.request({ method: "eth_blockNumber" }),
      await provider.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
    ];
    const before = await state();
    expect(await identity.attack(contract)).to.deep.equal([]);
    expect(await state()).to.deep.equal(before);
    // Nobody is impersonated any longer.
    const from = attackWallets.first.address;
    const sent = provider.request({ method: "eth_sendTransaction", params: [{ from, to: from }] });
    expect((await rejection(sent)).message).to.match(/unknown account/i);
  });

  it("finds nothing in a proof that another contract asks for, beside those of other providers", async () => {
    const { identity, contract } = await deployed("FollowersProof");
    expect(await identity.attack(contract)).to.deep.equal([]);
  });

  it("resolves to each fault with the transactions that show it, also for an address and an ABI", async () => {
    const { identity, contract } = await deployed("ExternalGate");
    const abi = JSON.parse(contract.interface.formatJson());
    const address = await contract.getAddress();
    for (const attacked of [contract, { address, abi }]) {
      const findings = await identity.attack(attacked);
      expect(findings.map(({ attack, entryPoint }) => [attack, entryPoint])).to.deep.equal([
        ["same wallet twice", "enter(bytes32,uint40,bytes)"],
        ["second wallet", "enter(bytes32,uint40,bytes)"],
      ]);
      const [, second] = findings;
      expect(second?.message).to.include("admits a second wallet of the same person");
      expect(second?.transactions.map(({ what }) => what)).to.deep.equal([
        "The first wallet calls enter(bytes32,uint40,bytes) as alice.",
        "The second wallet calls enter(bytes32,uint40,bytes) as alice.",
      ]);
      expect(second?.transactions.map(({ to }) => to)).to.deep.equal([address, address]);
    }
  });

  it("has the first account do what only the deployer may, if the contract names no owner", async () => {
    const { identity, contract } = await deployed("DeployerGate");
    const [finding] = await identity.attack(contract);
    expect(finding?.transactions.map(({ what }) => what)).to.deep.equal([
      "The owner calls open().",
      "The first wallet calls enter(bytes32,uint40,bytes) as alice.",
      "The first wallet calls enter(bytes32,uint40,bytes) as alice.",
    ]);
  });

  it("throws if an entry point refuses whatever it is given", async () => {
    const { identity, contract } = await deployed("ClosedGate");
    const { message } = await rejection(identity.attack(contract));
    expect(message).to.equal(
      "enter(bytes32,uint40,bytes) reverts with Closed(1) for all arguments, so it could not be tried. " +
        "Show one claim: identity.attack(contract, ({ verification, wallet }) => contract.connect(wallet).enter(...verification.args)).",
    );
  });

  it("names what is wrong with an argument", async () => {
    const { identity, contract } = await deployed("ClosedGate");
    const address = await contract.getAddress();
    for (const [attacked, options, words] of [
      [contract, { attacks: ["any"] }, `attacks must name some of ${attackNames.join(", ")}, got "any".`],
      [contract, { owner: 7 }, "owner must be an address, or a contract or wallet of ethers or viem, got 7."],
      [
        contract,
        { registry: address },
        `${address} is not a SignerRegistry on this chain: it does not answer`,
      ],
      [contract, 7, "claim must be a function that claims once, got 7."],
      [
        contract,
        { arg: 7 },
        'identity.attack does not know "arg"; it takes prepare, sender, admitted, upgrade,',
      ],
      [{ address }, {}, "contract must have its ABI, as one of ethers or viem has, got an object."],
      ["None", {}, 'This project has no contract "None", or it has not been built.'],
    ] as const) {
      const wrong = await rejection(identity.attack(attacked as typeof contract, options as object));
      expect(wrong.message.slice(0, words.length)).to.equal(words);
    }
  });
});

describe("identity attack", () => {
  it("plays the attacks that docs/linting.md lists", () => {
    const [, section = ""] = readGuide("docs/linting.md").split("### The attacks");
    const [list = ""] = section.split(/^## /m);
    expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).to.have.members(attackNames);
  });

  it("exits with 0 if all attacks held, with 1 for a fault and with 2 for an entry point that could not be tried", async () => {
    const sound = await runHardhat(["identity", "attack", "IncentiveProgram"]);
    expect(sound.code, sound.stderr).to.equal(0);
    expect(sound.stderr).to.match(/^Building …\nIncentiveProgram: attack 1 of \d+ … [a-z -]+ \(\d+ s\)\n/);
    expect(sound.stdout).to.match(
      /^Attack on enroll\(identityHash, expiration, signature\)\nheld {7}made-up/,
    );
    const end =
      "no fault found by \\d+ attacks\\.\n\nAll attacks: \\S+/docs/linting\\.md#attack-a-consumer\n$";
    expect(sound.stdout).to.match(new RegExp(`IncentiveProgram: ${end}`));

    const meant = await runHardhat(["identity", "attack", "RepeatedGate"]);
    expect(meant.code, meant.stdout).to.equal(0);
    expect(meant.stdout).not.to.include("second wallet");

    const closed = await runHardhat(["identity", "attack", "ClosedGate"]);
    expect(closed.code).to.equal(2);
    expect(closed.stdout).to.include("not tried  enter(bytes32,uint40,bytes) reverts with Closed(1)");

    const both = await runHardhat(["identity", "attack", "HalfOpenGate", "--json"]);
    const { findings: faults, untried: closedDoors } = JSON.parse(both.stdout);
    expect([both.code, faults.length > 0, closedDoors.length]).to.deep.equal([1, true, 1]);

    const broken = await runHardhat(["identity", "attack", "ExternalGate", "--json"]);
    expect(broken.code).to.equal(1);
    // Its progress is for people.
    expect(broken.stderr).to.equal("");
    expect(broken.stdout.trim().split("\n")).to.have.length(1);
    const { contract, findings, untried } = JSON.parse(broken.stdout);
    expect({ contract, untried }).to.deep.equal({ contract: "ExternalGate", untried: [] });
    expect(Object.keys(findings[0])).to.deep.equal(["attack", "entryPoint", "message", "transactions"]);
    expect(Object.keys(findings[0].transactions[0]).join()).to.equal("what,from,to,data,value,hash");
  });

  it("writes SARIF with the line of each function, or else of its contract or the configuration", async () => {
    const [enter, policy] = ["enter(bytes32,uint40,bytes)", "setPolicy(string,(string,string,string)[])"];
    const found = (attack: string, entryPoint: string) => ({
      attack,
      entryPoint,
      message: `${attack}!`,
      transactions: [],
    });
    const [once, ruled] = ["same wallet twice", "policy or registry that changes"];
    const consumers = await readConsumers(hre);
    const result = (contract: string, ...findings: Finding[]) => {
      const consumer = consumers.find(({ name }) => name === contract);
      return { contract, consumer, rehearsals: [{ entryPoint: "", findings, tried: [] }], untried: [] };
    };
    const written = composeSarif(hre, [
      result("ExternalGate", found(once, enter), found("upgrade", "upgradeToAndCall()")),
      result("ChosenConsumer", found(ruled, policy)),
      result("0x12", found(once, "claim()")),
    ]);
    const page = "https://github.com/hardhat-identity/hardhat-identity/blob/main/docs/linting.md";
    const rules = [once, "upgrade", ruled].map((id) => ({
      id,
      shortDescription: { text: `Attack succeeds: ${id}` },
      fullDescription: { text: `The consumer does not hold against the attack "${id}".` },
      help: { text: `${page}#attack-a-consumer` },
      helpUri: `${page}#attack-a-consumer`,
    }));
    const places = [
      [once, "ExternalGate", "test/fixtures/contracts/Gates.sol", "function enter("],
      ["upgrade", "ExternalGate", "test/fixtures/contracts/Gates.sol", "contract ExternalGate "],
      [ruled, "ChosenConsumer", "test/fixtures/contracts/ChosenConsumer.sol", "function setPolicy("],
      [once, "0x12", "hardhat.config.ts", ""],
    ] as const;
    const results = places.map(([ruleId, contract, uri, start]) => {
      const startLine = lineOf(uri, start);
      const artifactLocation = { uri, uriBaseId: "%SRCROOT%" };
      const physicalLocation = { artifactLocation, region: { startLine } };
      const message = { text: `${contract}: ${ruleId}!` };
      return { ruleId, level: "error", message, locations: [{ physicalLocation }] };
    });
    const driver = { name: "hardhat-identity attack", informationUri: page, rules };
    expect(written).to.deep.equal({
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: { driver },
          invocations: [{ executionSuccessful: true, toolExecutionNotifications: [] }],
          results,
        },
      ],
    });
  });

  it("takes a list of the constructor's arguments without the registry, and names those that a list leaves out", async () => {
    const attack = (args: string) => runHardhat(["identity", "attack", "ChosenConsumer", "--args", args]);
    const listed = await attack(`["microblog", [["followers", "gt", "1000"]]]`);
    // Findings about its policy do not matter here.
    expect(listed.stdout).to.match(/^held {7}second wallet$/m);
    // The attack's own takes the place of one that is given.
    const whole = await attack(`["0x${"12".repeat(20)}", "microblog", [["followers", "gt", "1000"]]]`);
    expect(whole.stdout).to.equal(listed.stdout);
    for (const [args, end] of [
      [`["microblog"]`, "1, without conditions_.\n"],
      [`["microblog", [], 7, 8]`, "4.\n"],
    ] as const) {
      const wrong = await attack(args);
      expect([wrong.code, wrong.stdout]).to.deep.equal([
        2,
        `The constructor of ChosenConsumer takes 2 arguments (string provider_, (string name, string op, string value)[] conditions_), besides the registry, which may be left out; --args has ${end}`,
      ]);
    }
  });

  it("shows a table of attacks for each claim, each fault with its change and transactions, and what was not tried", () => {
    const held: Tried = { attack: "made up", result: "held" };
    const open: Tried = { attack: "later", result: "not tried", refusal: "SaleOver()" };
    const transactions = ["claims", "joins"].map((does) => ({
      what: `Somebody ${does}\n.`,
      from: "0x",
      data: "0x",
      value: "0",
      hash: "0x1234567890abcdef",
    }));
    const finding = {
      attack: "second wallet",
      entryPoint: "join()",
      message: "Open.\u001b[2K",
      change: "amount = 2",
      transactions,
    };
    const claim = { entryPoint: "claim(uint256)", says: "claim(2)", findings: [], tried: [held, open] };
    const join = {
      entryPoint: "join()",
      findings: [finding],
      tried: [{ attack: "second wallet", result: "found" } as const],
    };
    const closed = { entryPoint: "open()", refusal: "Closed()" };
    const all = { entryPoint: "", refusal: "Not deployed." };
    expect(describeAttacks("Drop", { rehearsals: [claim, join], untried: [closed, all] })).to.equal(
      "Attack on claim(2)\nheld       made up\nnot tried  later: others are refused, too: SaleOver()\n\n" +
        "Attack on join()\nfound      second wallet\n\n" +
        "fault  Open.\\u001b[2K\n  Changed: amount = 2\n  1. Somebody claims\\u000a. 0x1234567890…\n  2. Somebody joins\\u000a. 0x1234567890…\n\n" +
        "not tried  open() reverts with Closed() for all arguments that were invented. Show a claim in a test, or pass arguments as --args.\n\n" +
        "not tried  Not deployed.\n\nDrop: 1 fault found by 2 attacks, and 3 not tried.",
    );
    expect(describeAttacks("Drop", { rehearsals: [{ ...claim, tried: [held] }], untried: [] })).to.equal(
      "Attack on claim(2)\nheld       made up\n\nDrop: no fault found by 1 attack.",
    );
  });

  it("takes no failure of the node for a refusal", async () => {
    const { provider } = await network.create("identityLocal");
    const stage = await openStage(
      changeNode(provider, ({ method }) =>
        /^debug_|_sendTransaction$/.test(method) ? { error: { code: -32_000, message: "Away." } } : undefined,
      ),
    );
    const call = { from: accountOf("anybody"), to: accountOf("nobody"), data: "0x" };
    for (const ask of [stage.ask, stage.simulate, stage.send, stage.spend]) {
      expect((await rejection(ask(call))).message).to.equal("Away.");
    }
  });

  it("says what is missing if it cannot deploy", async () => {
    const env = { BASE_SEPOLIA_RPC_URL: "http://127.0.0.1:9", DEPLOYER_PRIVATE_KEY: `0x${"11".repeat(32)}` };
    for (const [args, words] of [
      [
        ["VerifyOnce"],
        "VerifyOnce is abstract, or an interface, and cannot be deployed; name another contract.\n",
      ],
      [["ExternalGate", "--network", "baseSepolia"], "Cannot connect to the network"],
    ] as const) {
      const { code, stdout, stderr } = await runHardhat(["identity", "attack", ...args], { env });
      expect([code, `${stdout}${stderr}`.includes(words)], stderr).to.deep.equal([2, true]);
    }
    const publicNode = { request: () => Promise.reject(Object.assign(new Error(), { code: -32_601 })) };
    expect((await rejection(openStage(publicNode))).message).to.equal(
      "Attacks change the chain, so they need a local node; fork this chain: forking: { url } in the network's configuration.",
    );
    const { provider } = await network.create("identityLocal");
    // Returns 30,000 bytes of code.
    const bytecode = `0x6175306000f3${"00".repeat(30_000)}`;
    const { message } = await rejection(
      deployForAttack(await openStage(provider), { contractName: "Large", abi: [], bytecode }),
    );
    expect(message).to.equal(
      "Large cannot be deployed: its code is likely larger than the 24576 bytes that a chain takes. Set settings: { optimizer: { enabled: true } } for solidity in hardhat.config.ts.",
    );
  });

  it("has the arguments of an initializer, by name, and names its parameters where those that it invents are refused", async () => {
    const { provider } = await network.create("identityLocal");
    const [stage, contract] = [await openStage(provider), await hre.artifacts.readArtifact("FeeGate")];
    const { message } = await rejection(deployForAttack(stage, contract));
    expect(message).to.equal(
      'The initializer of FeeGate reverts with Error("fee"). Give its arguments with --args, by name; its parameters are uint256 feeBps. Or deploy it, and name it with --consumer.',
    );
    const { address, upgrade } = await deployForAttack(stage, contract, { feeBps: 250 });
    const data = new Interface(contract.abi).encodeFunctionData("fee");
    const fee = await provider.request({ method: "eth_call", params: [{ to: address, data }, "latest"] });
    expect([Number(fee), upgrade]).to.deep.equal([250, upgrade ?? "behind a proxy"]);
  });
});

describe("A comment that declares a finding intended", () => {
  it("is that of the very function or variable, also among overloads that take as many arguments", async () => {
    const consumer = (await readConsumers(hre)).find(({ name }) => name === "OverloadedGate");
    if (consumer === undefined) expect.fail("The contract is missing.");
    const entryPoints = [
      "visit(uint256,bytes32,uint40,bytes)",
      "visit(address,bytes32,uint40,bytes)",
      "enter(bytes32,uint40,bytes)",
      "cutoffBlock()",
    ];
    const rehearsals = entryPoints.map((entryPoint) => ({
      entryPoint,
      says: "",
      findings: [{ attack: "second wallet", entryPoint, message: "", transactions: [] }],
      tried: [],
    }));
    const left = leaveOutIgnored({ rehearsals, untried: [] } as never, [consumer]) as Attacked;
    expect(left.rehearsals.map(({ findings }) => findings.length)).to.deep.equal([0, 1, 1, 0]);
  });
});
