import { expect } from "chai";
import { network } from "hardhat";

describe("connection.identity", () => {
  async function fixture() {
    const connection = await network.create("identityLocal");
    const { ethers, identity } = connection;
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry.target]);
    const [, alice, bob] = await ethers.getSigners();
    if (!alice || !bob) throw new Error("The node has too few accounts.");
    return { identity, program, alice, bob };
  }

  it("mints a verification with which a consumer admits the named wallet", async () => {
    const { identity, program, alice } = await fixture();
    const { identityHash, expiration, signature } = await identity.mint({
      consumer: await program.getAddress(),
      user: alice.address,
      identity: "alice",
    });
    await expect(program.connect(alice).enroll(identityHash, expiration, signature))
      .to.emit(program, "Enrolled")
      .withArgs(alice.address, identityHash);
  });
});
