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

const moving = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { TestIdentity } from "@hardhat-identity/contracts/testing/TestIdentity.sol";

import { Airdrop } from "./Airdrop.sol";

interface Vm {
  function warp(uint256) external;
  function roll(uint256) external;
}

contract AirdropTest {
  Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

  function test_moveCutoff_GoesByTimeHoweverManyBlocksThereAre() public {
    Airdrop airdrop = new Airdrop(address(TestIdentity.deployRegistry()));
    uint256 opened = block.number;
    uint256 start = block.timestamp;
    vm.roll(opened + 12_960_000);
    vm.warp(start + 30 days - 1);
    try airdrop.moveCutoff() {
      revert("moved too early");
    } catch {}
    require(airdrop.cutoffBlock() == 0, "a cutoff without a move");
    vm.warp(start + 30 days);
    airdrop.moveCutoff();
    require(airdrop.cutoffBlock() == opened, "not the block of the last move");
    vm.warp(start + 60 days);
    airdrop.moveCutoff();
    require(airdrop.cutoffBlock() == opened + 12_960_000, "not the block of the move before");
  }
}
`;

describe("The guide to the contracts, for somebody else", () => {
  it("has optional functions that work in a consumer of theirs", async () => {
    const { code, stdout, stderr } = await testWith("_revertIdentityUsed", test);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_claim_AdmitsAPersonOnceWithTheContractsOwnErrorAndCutoff/);
  }).timeout(300_000);

  it("has a cutoff that moves by time, and works in a consumer of theirs", async () => {
    const { code, stdout, stderr } = await testWith("moveCutoff", moving);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_moveCutoff_GoesByTimeHoweverManyBlocksThereAre/);
  }).timeout(300_000);
});

/** Tests a consumer that has the part of the guide with this function. */
async function testWith(name: string, ofConsumer: string) {
  const project = freshProject();
  project.write(
    "hardhat.config.ts",
    `export default { solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };`,
  );
  const part = readSnippets(guide).find(
    ({ language, text }) => language === "solidity" && text.includes(`function ${name}(`),
  );
  const consumer = readSnippetFile("README.md", "contracts/Airdrop.sol");
  project.write("contracts/Airdrop.sol", consumer.replace(/\}\n$/, `${part?.text}}\n`));
  project.write("contracts/Airdrop.t.sol", ofConsumer);
  return await project.hardhat(["test", "solidity"]);
}
