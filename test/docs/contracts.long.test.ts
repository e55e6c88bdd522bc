import { expect } from "chai";
import { readSnippetFile, readSnippets } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";

const guide = "docs/contracts.md";

const test = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { TestIdentity } from "@hardhat-identity/contracts/testing/TestIdentity.sol";

import { Airdrop } from "./Airdrop.sol";

contract AirdropTest {
  function test_claim_AdmitsAPersonOnceWithTheContractsOwnErrorAndCutoff() public {
    Airdrop airdrop = new Airdrop(address(TestIdentity.deployRegistry()));
    TestIdentity.Verification memory v = TestIdentity.mint(address(airdrop), address(this), "alice");
    airdrop.claim(v.identityHash, v.expiration, v.signature);
    require(airdrop.cutoffBlock() == block.number, "another cutoff");

    try airdrop.claim(v.identityHash, v.expiration, v.signature) {
      revert("a second claim was admitted");
    } catch (bytes memory reason) {
      require(bytes4(reason) == Airdrop.AlreadyClaimed.selector, "another error");
    }
  }
}
`;

describe("The guide to the contracts, for somebody else", () => {
  it("has optional functions that work in a consumer of theirs", async () => {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `export default { solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };`,
    );
    const [optional] = readSnippets(guide).filter(({ language }) => language === "solidity");
    const consumer = readSnippetFile("README.md", "contracts/Airdrop.sol");
    project.write("contracts/Airdrop.sol", consumer.replace(/\}\n$/, `${optional?.text}}\n`));
    project.write("contracts/Airdrop.t.sol", test);
    const { code, stdout, stderr } = await project.hardhat(["test", "solidity"]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_claim_AdmitsAPersonOnceWithTheContractsOwnErrorAndCutoff/);
  }).timeout(300_000);
});
