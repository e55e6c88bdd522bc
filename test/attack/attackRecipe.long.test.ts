import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import { attackCompiled } from "../../packages/attack/internal/attack.ts";
import type { Deployable } from "../../tasks/internal/testing/attack.ts";
import { lintProject } from "../fixtures/tasks/lintProject.ts";

/** Seconds of computing until somebody reads what to write. */
const most = 10;

const shut = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
import {VerifyOnce} from "../base/VerifyOnce.sol";
contract Shut is VerifyOnce {
    struct Proof { bytes sig; uint40 until; bytes32 person; }
    bool public isOpen;
    uint256 public claims;
    address public immutable treasury;
    constructor(address treasury_, address registry_, uint96) VerifyOnce(registry_) { treasury = treasury_; }
    function open(uint256 code) external { require(code == 4711, "wrong"); isOpen = true; }
    function claim(uint8 kind, Proof memory proof, address to) external payable {
        require(isOpen, "shut");
        require(kind > 0 && to == msg.sender && msg.value == 1, "wrong");
        _verifyOnce(proof.person, proof.until, proof.sig);
        ++claims;
    }
    function provider() external pure override returns (string memory) { return "microblog"; }
    function conditions() external pure override returns (Condition[] memory list) {
        list = new Condition[](1);
        list[0] = Condition("followers", "gt", "1000");
    }
}
`;
const capped = shut
  .replaceAll("Shut", "Capped")
  .replace(
    "uint96) VerifyOnce(registry_) {",
    'uint96 cap) VerifyOnce(registry_) { require(cap == 77, "no cap");',
  );

const toolboxes = {
  "hardhat-toolbox-mocha-ethers": "await contract.open(4711);",
  "hardhat-toolbox-viem": "await contract.write.open([4711n]);",
} as const;

describe("identity attack of a contract without a claim that it finds", () => {
  for (const [toolbox, open] of Object.entries(toolboxes)) {
    it(`exits with 2 and prints a test that runs as it is pasted, with ${toolbox}`, async () => {
      const { write, hardhat } = await lintProject();
      write("contracts/own/Shut.sol", shut);
      write("contracts/own/Capped.sol", capped);
      for (const [name, refusal, corrected] of [
        ["Shut", 'could be tried: Error("shut")', []],
        ["Capped", "no cap", [["1n]", "77n]"]]],
      ] as const) {
        const attacked = await hardhat(["identity", "attack", name], { toolbox });
        expect(attacked.code, attacked.stdout + attacked.stderr).to.equal(2);
        const [, recipe = ""] =
          /This one runs as it is:\n\n(.*)\n\nAll attacks: /s.exec(attacked.stdout) ?? [];
        write("test/Pasted.ts", recipe);
        const pasted = await hardhat(["test"], { toolbox });
        expect(pasted.code, recipe).to.equal(1);
        expect(pasted.stdout + pasted.stderr, recipe).to.include(refusal);

        const opened = recipe.replace(/\/\/ Bring .*/, open);
        write(
          "test/Pasted.ts",
          corrected.reduce((text, [from, to]) => text.replace(from, to), opened),
        );
        const passed = await hardhat(["test"], { toolbox });
        expect(passed.code, opened + passed.stdout + passed.stderr).to.equal(0);
      }
    }).timeout(300_000);
  }

  it(`finds within ${most} s of computing that it finds no claim`, async () => {
    const { folder, write, hardhat } = await lintProject();
    write("contracts/own/Shut.sol", shut);
    expect((await hardhat(["build"])).code).to.equal(0);
    const file = join(folder, "artifacts/contracts/own/Shut.sol/Shut.json");
    const artifact: Deployable = JSON.parse(readFileSync(file, "utf8"));
    const { provider, close } = await network.create("identityLocal");
    const before = process.cpuUsage();
    const openWallet = async (address: string) => ({ address }) as never;
    const { rehearsals, untried } = await attackCompiled(provider, artifact, {}, { openWallet });
    expect(process.cpuUsage(before).user / 1e6).to.be.below(most);
    expect([rehearsals, untried.map(({ refusal }) => refusal)]).to.deep.equal([[], ['Error("shut")']]);
    await close();
  }).timeout(120_000);
});
