import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { composeTest } from "../../packages/attack/internal/writeTest.ts";
import type { Given } from "../../tasks/internal/testing/attack.ts";
import { completeConsumer, lintProject } from "../fixtures/tasks/lintProject.ts";

const parameters = "bytes32 identityHash, uint40 expiration, bytes calldata signature";
const claim = (body: string) =>
  `uint256 public claims; mapping(bytes32 => bool) public used; function claim(${parameters}) external { ${body} ++claims; }`;
const byHand = "require(!used[identityHash]); used[identityHash] = true;";

/** Consumers with a fault, by name. */
const broken: Readonly<Record<string, string>> = {
  Forgetful: claim("_verify(identityHash, expiration, signature);"),
  Unchecked: claim(byHand),
  Timeless: claim("_verifyOnceWithoutClock(msg.sender, 0, identityHash, expiration, signature);"),
  OfTheOrigin: claim("_verifyOnceFor(tx.origin, 0, identityHash, expiration, signature);"),
  Open: `${claim("_verifyOnce(identityHash, expiration, signature);")} function join() external { ++claims; }`,
};

describe("identity attack --write", () => {
  for (const [toolbox, { none, failing }] of Object.entries({
    "hardhat-toolbox-mocha-ethers": { none: /\b0 passing/, failing: /\b[5-9] failing/ },
    "hardhat-toolbox-viem": { none: /^(?!.*\b[1-9]\d* passing)/s, failing: /\b[5-9] failing/ },
  })) {
    it(`writes tests that fail before the repair and pass after it, with ${toolbox}`, async () => {
      const { folder, write, hardhat } = await lintProject();
      write("pnpm-lock.yaml", "");
      for (const [name, snippet] of Object.entries(broken)) {
        write(`contracts/own/${name}.sol`, completeConsumer(name, snippet));
      }
      // An error with one contract hides no result of the others.
      const closed = completeConsumer("Closed", "uint256[] private list; uint256 public one = list[0];");
      write("contracts/own/Closed.sol", closed);
      const attacked = await hardhat(["identity", "attack", "--write"], { toolbox });
      expect(attacked.code, attacked.stderr).to.equal(1);
      expect(attacked.stdout).to.match(/^not tried {2}The constructor of Closed reverts with /m);
      for (const name of Object.keys(broken)) {
        expect(attacked.stdout, attacked.stderr).to.include(`Wrote test/${name}.attack.ts`);
        const text = readFileSync(join(folder, `test/${name}.attack.ts`), "utf8");
        expect(text).to.match(/^\/\/ Written by `pnpm hardhat identity attack \w+ --write`\.\n/);
      }
      // It replaces its own.
      const again = await hardhat(["identity", "attack", "Open", "--write"], { toolbox });
      expect(again.stdout, again.stderr).to.include("Wrote test/Open.attack.ts");
      const before = await hardhat(["test"], { toolbox });
      expect(before.code, before.stdout).to.equal(1);
      expect(before.stdout).to.match(none).and.to.match(failing);

      const sound = claim("_verifyOnce(identityHash, expiration, signature);");
      for (const name of Object.keys(broken)) {
        write(`contracts/own/${name}.sol`, completeConsumer(name, sound));
      }
      const after = await hardhat(["test"], { toolbox });
      expect(after.code, after.stdout + after.stderr).to.equal(0);
      expect(after.stdout).to.match(/\b[5-9] passing/);
    });
  }

  it("keeps a file that somebody else wrote", async () => {
    const { folder, write, hardhat } = await lintProject();
    write("contracts/own/Forgetful.sol", completeConsumer("Forgetful", broken.Forgetful ?? ""));
    write("test/Forgetful.attack.ts", "// mine");
    const { code, stdout } = await hardhat(["identity", "attack", "--write"], {
      toolbox: "hardhat-toolbox-mocha-ethers",
    });
    expect([code, stdout.includes("was not written by --write")]).to.deep.equal([2, true]);
    expect(readFileSync(join(folder, "test/Forgetful.attack.ts"), "utf8")).to.equal("// mine");
    const { contracts } = JSON.parse((await hardhat(["identity", "attack", "--json"])).stdout);
    expect(contracts.map(({ contract }: { contract: string }) => contract)).to.deep.equal(["Forgetful"]);
    writeFileSync(join(folder, "test/Forgetful.attack.ts"), "");
  });

  it("writes one test for each attack, with arguments as TypeScript has them, if there are any", () => {
    const step = { what: "Somebody calls.", from: "0x", data: "0x", value: "0", hash: "0x" };
    const findings = ["It admits two.", "And three."].map((message, i) => ({
      attack: "second wallet",
      entryPoint: "claim()",
      message,
      transactions: [step].slice(i),
    }));
    const compose = (args: Given) =>
      composeTest("Drop", findings, { toolbox: "ethers", execute: "npx", args });
    expect(
      compose({ amount: 25n, names: ["a", null] }),
    ).to.equal(`// Written by \`npx hardhat identity attack Drop --write\`.
import { expect } from "chai";
import { network } from "hardhat";

describe("Drop, under attack", () => {
  // It admits two.
  //   1. Somebody calls.
  // And three.
  it("holds against \\"second wallet\\"", async () => {
    const { identity } = await network.create("identityLocal");
    const findings = await identity.attack("Drop", { args: { "amount": 25n, "names": ["a", null] }, attacks: ["second wallet"] });
    expect(findings.map(({ message }) => message)).to.deep.equal([]);
  });
});
`);
    for (const none of [{}, []]) {
      expect(compose(none)).to.include('identity.attack("Drop", { attacks: ["second wallet"] })');
    }
  });
});
