import { expect } from "chai";
import { describeReport } from "../../tasks/internal/lint/describe.ts";
import type { LintReport } from "../../tasks/internal/lint/lint.ts";
import { type Rule, rules } from "../../tasks/internal/lint/rules.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import type { CommandResult } from "../fixtures/tasks/hardhat.ts";
import { completeConsumer, delegatePolicy, lintProject, readGuide } from "../fixtures/tasks/lintProject.ts";
import * as snippets from "../fixtures/tasks/lintSnippets.ts";

const guide = readGuide("docs/linting.md");

/** The guide's sections: a rule, the code that breaks it, and code that does not. */
const sections = (guide.split("\n## The rules\n")[1] ?? "")
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [, rule = ""] = section.match(/^([\w-]+)\n/) ?? [];
    const shown = [...section.matchAll(/^```solidity\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
    const { [rule as Rule]: broken } = snippets.broken;
    const { [rule as Rule]: clean = "" } = snippets.clean;
    return { rule, broken: shown[0] ?? broken ?? "", clean, count: shown.length + (broken ? 1 : 0) };
  });

const pascal = (rule: string) => rule.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

const remedy = "Return literals, constants or immutables.";
const constant = `a policy must never change. ${remedy}`;
const inStorage = `conditions() reads storage: it must never be written, it is empty behind a proxy, and every verification pays for it. ${remedy}`;

/** Consumers that break a rule in another way than the guide shows, by the rule. */
const alsoBroken: Record<string, readonly [rule: string, snippet: string, message: string]> = {
  SetLater: [
    "policy-in-storage",
    `string private _least = "1000";
     function setLeast(string calldata least) external { _least = least; }
     function conditions() external view override returns (Condition[] memory list) {
       list = new Condition[](1);
       list[0] = Condition("followers", "gt", _least);
     }`,
    inStorage,
  ],
  OfTheCaller: [
    "policy-not-constant",
    `function provider() external view override returns (string memory) {
       return uint160(msg.sender) >> 159 == 0 ? "microblog" : "photo_social";
     }`,
    `provider() reads msg.sender, and its answer differs for another caller or in another block; ${constant}`,
  ],
  OfAnother: [
    "policy-not-constant",
    `function provider() external view override returns (string memory) {
       return registry().isSigner(address(1)) ? "microblog" : "exchange";
     }`,
    `provider() reads another contract; ${constant}`,
  ],
  ByCounting: [
    "policy-in-storage",
    `uint256 private _rounds;
     function next() external { _rounds++; }
     function conditions() external view override returns (Condition[] memory list) {
       list = new Condition[](1);
       list[0] = Condition("followers", "gt", _rounds == 0 ? "1000" : "2000");
     }`,
    inStorage,
  ],
  OfTheL1: [
    "cutoff-of-another-chain",
    `interface IL1Block {
  function number() external view returns (uint64);
}
     function cutoffBlock() external view override returns (uint256) {
       return IL1Block(0x4200000000000000000000000000000000000015).number();
     }`,
    "cutoffBlock() is a block of the L1, but is compared with those of the consumer's own chain; take block.number.",
  ],
  LongText: [
    "policy-too-large",
    `function provider() external pure override returns (string memory) { return "${"p".repeat(257)}"; }`,
    "The policy has a string of 257 bytes; at most 256 are served.",
  ],
};

/** Consumers that do right in ways that are easily taken for wrong. */
const alsoClean: Record<string, string> = {
  Meant: `/// @custom:identity-ignore policy-too-large,no-condition, pace-senseless
    function conditions() external pure override returns (Condition[] memory) { return new Condition[](0); }`,
  Constants: `string public constant override provider = "microblog"; address private immutable _self = address(this);
    function conditions() public view override returns (Condition[] memory list) {
      require(_self != address(1) && sha256("") != 0);
      list = new Condition[](1);
      list[0] = this.first();
    }
    function first() external pure returns (Condition memory) { return Condition("followers", "gt", "1000"); }`,
  ChosenPace: `uint256 private immutable _most = block.number;
    function pace() external view returns (uint256 most, uint256 window) { return (_most, 1 hours); }`,
};

const words = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
library Words {
  function provider() external pure returns (string memory) { return "microblog"; }
  function check() external pure {}
}
`;

const tooFewFollowers = `function conditions() external pure override returns (Condition[] memory list) {
  list = new Condition[](1);
  list[0] = Condition("followers", "gt", "1_000");
}`;

type Report = LintReport & { errors: number; warnings: number };

describe("identity policy, without a consumer", () => {
  let project: Awaited<ReturnType<typeof lintProject>>;
  let report: Report;
  let result: CommandResult;

  const findingsOf = (name: string) => report.findings.filter(({ contract }) => contract === name);

  before(async () => {
    project = await lintProject("linted");
    const write = (folder: string, name: string, snippet: string) =>
      project.write(
        `contracts/${folder}/${name}.sol`,
        completeConsumer(name, snippet).replace(
          "\ncontract",
          '\nimport {Words} from "../base/Words.sol";\ncontract',
        ),
      );
    project.write("contracts/base/Words.sol", words);
    for (const { rule, broken, clean } of sections) {
      write("broken", `${pascal(rule)}Broken`, broken);
      write("clean", `${pascal(rule)}Clean`, clean);
    }
    for (const [name, [, snippet]] of Object.entries(alsoBroken)) write("broken", name, snippet);
    for (const [name, snippet] of Object.entries(alsoClean)) write("clean", name, snippet);
    const plain = "PlainAirdrop.sol";
    project.write(`contracts/clean/${plain}`, readGuide(`examples/older-compilers/${plain}`));
    write(
      "broken",
      "Linked",
      "function provider() external pure override returns (string memory) { return Words.provider(); }",
    );
    for (const [name, block] of Object.entries({ Old: 9_900_000, Far: 44_100_000, Soon: 44_010_000 })) {
      const cutoff = `function cutoffBlock() external pure override returns (uint256) { return ${block}; }`;
      write("clean", name, cutoff);
    }
    write(
      "clean",
      "Later",
      `uint256 private immutable _cutoff = block.number;
       function cutoffBlock() external view override returns (uint256) { return _cutoff; }`,
    );
    project.write("contracts/clean/Delegated.sol", delegatePolicy(completeConsumer("Delegated", "")));
    project.write(
      "contracts/broken/DelegatedBadly.sol",
      delegatePolicy(completeConsumer("DelegatedBadly", tooFewFollowers)),
    );
    project.write(
      "contracts/clean/Abstract.sol",
      completeConsumer("Abstract", "uint256 public x;").replace("contract", "abstract contract"),
    );
    // The fault is in an overridden function, which nobody can call.
    const overridden = completeConsumer(
      "Overridden",
      tooFewFollowers.replace("external pure", "public pure virtual"),
    );
    project.write(
      "contracts/clean/Overriding.sol",
      `${overridden.replace("\ncontract", "\nabstract contract")}
contract Overriding is Overridden {
  constructor(address registry_) Overridden(registry_) {}
  ${tooFewFollowers.replace("1_000", "1000").replace("external pure", "public pure")}
}`,
    );
    // Tests of the project, which may break what they like.
    project.write("contracts/clean/Mock.t.sol", completeConsumer("Mock", tooFewFollowers));
    // All of it, with tests, as a project is built before its own are run.
    const built = await project.hardhat(["build"]);
    expect(built.code, built.stderr).to.equal(0);
    result = await project.lint(["--json"]);
    expect(result.stdout, result.stderr).to.match(/^\{.*\}\n$/);
    report = JSON.parse(result.stdout);
  });

  it("has a page that explains every rule, with its severity", () => {
    const [, named = ""] = /^Every rule is an error, except the warnings ([^.]+)\./m.exec(guide) ?? [];
    const warnings = [...named.matchAll(/`([\w-]+)`/g)].map(([, rule]) => rule);
    const severities = sections.map(({ rule }) => [rule, warnings.includes(rule) ? "warning" : "error"]);
    expect(Object.fromEntries(severities)).to.deep.equal(rules);
    expect(sections.map(({ rule }) => rule)).to.include.members(warnings);
    expect(sections.map(({ rule }) => rule)).to.deep.equal(Object.keys(rules));
    // Each is broken below, by the page or by the fixture.
    for (const { rule, count } of sections) expect(count, rule).to.equal(1);
  });

  for (const { rule } of sections) {
    it(`reports ${rule} where it is broken, and nowhere else`, () => {
      const [found, ...others] = findingsOf(`${pascal(rule)}Broken`);
      expect(others).to.deep.equal([]);
      expect(found).to.deep.include({ rule, severity: rules[rule as keyof typeof rules] });
      expect(found?.file).to.equal(`contracts/broken/${pascal(rule)}Broken.sol`);
      expect(found?.page).to.match(new RegExp(`/docs/linting\\.md#${rule}$`));
      expect(findingsOf(`${pascal(rule)}Clean`)).to.deep.equal([]);
    });
  }

  for (const [name, [rule, , message]] of Object.entries(alsoBroken)) {
    it(`reports ${rule} in ${name}`, () => {
      const found = findingsOf(name).map((each) => [each.rule, each.message]);
      expect(found).to.deep.equal([[rule, message]]);
    });
  }

  for (const name of Object.keys(alsoClean)) {
    it(`reports nothing in ${name}`, () => {
      expect(report.consumers.map((consumer) => consumer.name)).to.include(name);
      expect(findingsOf(name)).to.deep.equal([]);
    });
  }

  it("names the line of a finding", () => {
    const at = (name: string, text: string) => {
      const [found] = findingsOf(name);
      const source = completeConsumer(
        name,
        sections.find(({ rule }) => `${pascal(rule)}Broken` === name)?.broken ?? "",
      );
      // One line for the import that is added.
      expect(found?.line, name).to.equal(source.split("\n").findIndex((line) => line.includes(text)) + 2);
    };
    at("UnsupportedConditionBroken", "function conditions()");
    at("UnsupportedProviderBroken", "function provider()");
  });

  it("reads a policy that getters return from another function", () => {
    const delegated = report.consumers.find(({ name }) => name === "Delegated");
    expect(delegated?.policy).to.deep.equal({
      provider: "microblog",
      conditions: [{ name: "followers", op: "gt", value: "1000" }],
    });
    expect(findingsOf("Delegated")).to.deep.equal([]);
    expect(findingsOf("DelegatedBadly").map(({ rule }) => rule)).to.deep.equal(["unsupported-value"]);
  });

  it("prints a consumer's conditions, and what it could not read", () => {
    const of = (name: string) => report.consumers.find((consumer) => consumer.name === name);
    expect(of("Old")).to.deep.equal({
      name: "Old",
      file: "contracts/clean/Old.sol",
      line: 6,
      policy: { provider: "microblog", conditions: [{ name: "followers", op: "gt", value: "1000" }] },
      cutoffBlock: "9900000",
    });
    for (const [name, why] of [
      ["PolicyNotReadBroken", "constructor arguments"],
      ["Linked", "an external library, which is linked only at deployment"],
    ] as const) {
      const unread = `Its policy depends on ${why}; check it with --consumer after its deployment.`;
      expect(of(name)).to.include({ unread });
      expect(of(name)).to.not.have.property("policy");
      expect(findingsOf(name).map(({ rule }) => rule)).to.deep.equal(["policy-not-read"]);
    }
    // A linked library is no part of its policy.
    expect(of("PolicyNotReadClean")).to.have.property("policy");
    // It has no base, no cutoff, and an older compiler's syntax.
    expect(of("PlainAirdrop")).to.include({ cutoffBlock: "0" }).and.have.property("policy");
    expect(findingsOf("PlainAirdrop")).to.deep.equal([]);
    // Its cutoff is the constructor's, its policy is not.
    expect(of("Later")).to.have.property("policy");
    expect(of("Later")).to.not.have.property("cutoffBlock");
    expect(of("Later")?.unread).to.equal(
      "Its cutoff is set at deployment or later; check it with --consumer after its deployment.",
    );
    expect(findingsOf("Later")).to.deep.equal([]);
  });

  it("leaves out abstract contracts and tests", () => {
    const names = report.consumers.map(({ name }) => name);
    expect(names).to.not.include.any.members(["Abstract", "Overridden", "Mock", "VerifyOnce"]);
    expect(names).to.include("Overriding");
    expect(findingsOf("Overriding")).to.deep.equal([]);
  });

  it("exits with 1 for an error, and counts the findings", () => {
    const count = (severity: string) => report.findings.filter((each) => each.severity === severity).length;
    expect(result.code).to.equal(1);
    expect(report).to.include({ errors: count("error"), warnings: count("warning") });
    expect(report.warnings).to.equal(6);
  });

  it("judges cutoffs by the chain of --network, or of the stack of --port", async () => {
    const { rpcUrl } = await serveLocalChain();
    const toHex = (number: number, digits = 0) => `0x${number.toString(16).padStart(digits, "0")}`;
    const number = toHex(44_000_000);
    /** An L2 that tells the L1's block in its own blocks, or by a contract. */
    const serveL2 = (block: object, l1Block?: string) =>
      serveProxy(rpcUrl, {
        instead({ method, params: [call] = [] }) {
          if (method === "eth_getBlockByNumber") {
            // A block each two seconds.
            const at = call === "latest" ? number : String(call);
            return { result: { number: at, timestamp: toHex(1_700_000_000 + 2 * Number(at)), ...block } };
          }
          const isL1 =
            method === "eth_call" && Object(call).to === "0x4200000000000000000000000000000000000015";
          return isL1 && l1Block !== undefined ? { result: l1Block } : undefined;
        },
      });
    const ofOpStack = await serveL2({}, toHex(10_000_000, 64));
    const arbitrum = await serveL2({ l1BlockNumber: toHex(10_000_000) });
    for (const chain of [
      ["--network", "far"],
      ["--port", announce({ rpcUrl: arbitrum.url })],
    ]) {
      const { stdout } = await project.lint([...chain, "--json"], { farUrl: ofOpStack.url });
      const { findings }: Report = JSON.parse(stdout);
      const known = report.findings.map(({ contract, rule }) => `${contract} ${rule}`);
      const added = findings.filter(({ contract, rule }) => !known.includes(`${contract} ${rule}`));
      expect(added.map(({ contract, rule }) => [contract, rule])).to.deep.equal([
        ["Far", "cutoff-beyond-head"],
        ["Old", "cutoff-of-another-chain"],
      ]);
      expect(findings).to.have.length(report.findings.length + added.length);
    }
  });

  it("prints findings for people", async () => {
    const { code, stdout } = await project.lint([]);
    expect([code, stdout]).to.deep.equal([1, `${describeReport(report)}\n`]);
  });

  it("exits with 0 for a project without errors, also with warnings", async () => {
    const small = await lintProject();
    const storage = sections.find(({ rule }) => rule === "policy-in-storage")?.broken ?? "";
    small.write("contracts/Warned.sol", completeConsumer("Warned", storage).replace("../base", "./base"));
    const unused = "function drop() external pure { uint256 unused; }";
    small.write("contracts/Drop.sol", completeConsumer("Drop", unused).replace("../base", "./base"));
    // The output contains no messages of the compiler.
    expect((await small.lint(["--json"])).stdout).to.match(/^\{.*\}\n$/);
    const warned = await small.lint([]);
    expect(warned.stdout).to.include("2 consumers checked: 0 errors, 1 warning.");
    expect(warned.code).to.equal(0);
    expect((await small.lint(["--strict"])).code).to.equal(1);

    // Hardhat's own calls in the code are no fault of the policy.
    const covered = await small.hardhat(["--coverage", "identity", "policy"]);
    expect(covered.stderr).to.include("Run identity policy without it.");
    expect(covered.code).to.equal(1);

    small.remove("contracts/Warned.sol");
    const content = await small.lint(["--strict"]);
    expect(content.stdout).to.equal("1 consumer checked: no problems found.\n");
    expect(content.code).to.equal(0);

    small.remove("contracts/Drop.sol");
    const nothing = await small.lint(["--strict"]);
    expect(nothing.stdout).to.equal(
      "There is no consumer to check: no contract of this project extends VerifyOnce or VerifyConsumer.\n",
    );
    expect(nothing.code).to.equal(0);
  });
});
