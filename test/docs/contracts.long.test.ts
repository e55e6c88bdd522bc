import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { freshProject, solcPath } from "../fixtures/packages/freshProject.ts";

const guide = "docs/contracts.md";

const test = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import { TestIdentity } from "@hardhat-identity/contracts/testing/TestIdentity.sol";

import { Workshop } from "./Workshop.sol";

contract WorkshopTest {
  function test_register_GivesOnePersonOneSeat() public {
    Workshop workshop = new Workshop(address(TestIdentity.deployRegistry()));
    TestIdentity.Verification memory v = TestIdentity.mint(address(workshop), address(this), "alice");
    workshop.register(v.identityHash, v.expiration, v.signature);
    require(workshop.seats() == 29, "no seat was given");
    require(workshop.cutoffBlock() == block.number, "another cutoff");

    try workshop.register(v.identityHash, v.expiration, v.signature) {
      revert("a second seat was given");
    } catch (bytes memory reason) {
      require(bytes4(reason) == Workshop.SeatTaken.selector, "another error");
    }
  }
}
`;

describe("The guide to the contracts, for somebody else", () => {
  it("has a consumer that works in a project of theirs", async () => {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `export default { solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };`,
    );
    project.write("contracts/Workshop.sol", readSnippetFile(guide, "contracts/Workshop.sol"));
    project.write("contracts/Workshop.t.sol", test);
    const { code, stdout, stderr } = await project.hardhat(["test", "solidity"]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_register_GivesOnePersonOneSeat/);
  }).timeout(300_000);
});
