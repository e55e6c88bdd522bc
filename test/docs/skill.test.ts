import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import * as client from "../../packages/client/index.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const skill = read("docs/SKILL.md");

/** The blocks of a page in one language. */
const blocks = (file: string, language: string) =>
  readSnippets(file)
    .filter((snippet) => snippet.language === language)
    .map(({ text }) => text);

describe("The skill for coding agents", () => {
  it("begins with the name and description by which an agent finds it, and is short enough to read at once", () => {
    const [, front = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    expect(front).to.match(/^name: hardhat-identity$/m);
    expect(/^description: (.+)$/m.exec(front)?.[1]?.length).to.be.within(50, 1024);
    expect(skill.split("\n").length).to.be.below(200);
  });

  it("installs and configures as the page on getting started does", () => {
    const guide = [...blocks("docs/getting-started.md", "sh"), ...blocks("docs/getting-started.md", "ts")];
    const commands = guide.join("").split(/(?<!\\)\n/);
    const own = blocks("docs/SKILL.md", "sh")
      .slice(0, 2)
      .join("")
      .split(/(?<!\\)\n/);
    expect(commands).to.include.members(own);
    const config = blocks("docs/SKILL.md", "ts").find((text) => text.startsWith("// hardhat.config.ts"));
    expect(guide).to.include(config);
  });

  it("names functions of the client, its React entry and the contracts that exist", () => {
    const names = [...skill.matchAll(/`([a-zA-Z_]\w+)(?:\(\))?`/g)].map(([, name = ""]) => name);
    const react: readonly string[] = read("packages/client/react.ts").match(/\w+/g) ?? [];
    const solidity = globSync("contracts/**/*.sol", { cwd: root }).map(read).join("\n");
    const plugin = globSync("tasks/**/*.ts", { cwd: root }).map(read).join("\n");
    const words = ["Refused", "fault", "action", "redirect"];
    const unknown = names.filter(
      (name) =>
        !(name in client) &&
        !react.includes(name) &&
        !new RegExp(`\\b${name}\\b`).test(solidity) &&
        !new RegExp(`\\b${name}\\b`).test(plugin) &&
        !words.includes(name),
    );
    expect(unknown).to.deep.equal([]);
    for (const name of ["requestVerification", "VerifyButton", "_verifyOnce", "VerifyPaced"])
      expect(names).to.include(name);
    const order = [
      "buildSignInMessage",
      "signMessage",
      "requestVerification",
      "encodeCall",
      "sendCall",
      "waitForReceipt",
    ];
    const [claim = ""] = blocks("docs/client.md", "ts");
    const called = order.map((name) => claim.indexOf(`${name}(`));
    expect(called)
      .to.deep.equal([...called].sort((a, b) => a - b))
      .and.not.include(-1);
  });

  it("shows calls that the bases have", () => {
    const calls = [...skill.matchAll(/`(_verifyOnce\([^`]*\);)`/g)].map(([, call]) => call);
    const source = read("contracts/VerifyOnce.sol");
    expect(calls).to.have.length(2);
    for (const call of calls) {
      const types = call?.includes("round") ? "bytes32 round, bytes32 identityHash" : "(bytes32 identityHash";
      expect(source).to.include(types);
    }
    expect(source).to.include("constructor(address registry_)");
  });
});
