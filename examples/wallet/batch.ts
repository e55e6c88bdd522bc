// To compile the token and the vault, set this under `solidity` in your configuration:
// npmFilesToBuild: ["@hardhat-identity/contracts/examples/ExampleToken.sol", "@hardhat-identity/contracts/examples/VerifiedVault.sol"]
import { expect } from "chai";
import type { BaseContract } from "ethers";
import { network } from "hardhat";

describe("A claim in a batch", () => {
  it("mints, approves and deposits at once", async () => {
    const { ethers, identity, provider: node } = await network.create("identityLocal");
    const [, alice] = await ethers.getSigners();
    const registry = await identity.deployRegistry();
    const token = await ethers.deployContract("ExampleToken");
    const vault = await ethers.deployContract("VerifiedVault", [registry.target, token.target]);
    const verification = await identity.mint({
      consumer: await vault.getAddress(),
      user: alice.address,
      identity: "alice",
    });
    const { identityHash, expiration, signature } = verification;
    const call = (contract: BaseContract, name: string, args: unknown[]) => ({
      to: contract.target,
      value: "0x0",
      data: contract.interface.encodeFunctionData(name, args),
    });

    const { batchId } = await node.request({
      method: "wallet_sendCalls",
      params: [
        {
          version: "2.0.0",
          from: alice.address,
          chainId: "0x14a34",
          atomicRequired: true,
          calls: [
            call(token, "mint", [alice.address, 25n]),
            call(token, "approve", [vault.target, 25n]),
            call(vault, "deposit", [25n, identityHash, expiration, signature]),
          ],
        },
      ],
    });

    const { status, receipts } = await node.request({
      method: "wallet_getCallsStatus",
      params: [batchId],
    });
    expect(status).to.equal(200);
    expect(receipts).to.have.length(1);
    expect(await vault.balanceOf(alice.address)).to.equal(25n);
  });
});
