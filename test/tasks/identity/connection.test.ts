import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { recoverAddress } from "ethers";
import { artifacts } from "hardhat";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { type ConnectionIdentity, openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import { registryAbi } from "../../../tasks/internal/testing/registryAbi.ts";
import { connectWith } from "../../fixtures/packages/toolboxes.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";

describe("connection.identity", () => {
  it("has the registry's ABI in its source exactly as the compiler writes it", async () => {
    const { abi } = await artifacts.readArtifact("SignerRegistry");
    expect(registryAbi, "run scripts/write-registry-abi.ts").to.deep.equal(abi);
  });

  it("signs as the development signer", async () => {
    const { identity } = (await connectWith("ethers")).connection;
    const digest = `0x${"12".repeat(32)}` as const;
    expect(recoverAddress(digest, await identity.signer.sign(digest))).to.equal(identity.signer.address);
  });

  for (const [toolbox, read] of Object.entries({
    ethers: async (identity: ConnectionIdentity) => {
      const { contract } = await identity.deployRegistry();
      return [...(await contract.getFunction("signers")())];
    },
    viem: async (identity: ConnectionIdentity) => {
      const { contract } = await identity.deployRegistry();
      // To TypeScript, this repository has both toolboxes, and the contract is ethers'.
      const { read } = contract as unknown as { read: { signers(): Promise<unknown[]> } };
      return await read.signers();
    },
  })) {
    it(`deploys a registry that the development signer may sign for, as a contract of ${toolbox}`, async () => {
      const { identity } = (await connectWith(toolbox as "ethers" | "viem")).connection;
      expect(await read(identity)).to.deep.equal([identity.signer.address]);
    });
  }

  it("deploys a registry in a project without a toolbox, and says that its contract needs one", async () => {
    const { connection } = await connectWith("ethers");
    const registry = await openIdentity(connection.provider).identity.deployRegistry();
    expect(await connection.provider.request({ method: "eth_getCode", params: [registry.address] })).to.match(
      /^0x60/,
    );
    expect(() => registry.contract).to.throw(
      InvalidInputError,
      "hardhat.config.ts has none in `plugins`: add",
    );
  });

  it("deploys a registry for the given owner and signers, and names what is not an address", async () => {
    const { identity, ethers } = (await connectWith("ethers")).connection;
    const [, owner, signer] = await ethers.getSigners();
    if (!owner || !signer) throw new Error("The node has too few accounts.");
    const { contract, address, target } = await identity.deployRegistry({ owner, signers: [signer] });
    expect(await contract.getFunction("owner")()).to.equal(owner.address);
    expect([...(await contract.getFunction("signers")())]).to.deep.equal([signer.address]);
    expect([address, target]).to.deep.equal([contract.target, contract.target]);
    expect(
      (await rejection(identity.deployRegistry({ signers: [signer.address, "0x12"] }))).message,
    ).to.equal('signers[1] must be an address (0x and 40 hex digits), got "0x12".');
  });

  it("imports viem's types in one line that TypeScript ignores if viem is not installed", () => {
    const source = readFileSync(join(root, "tasks/internal/testing/registry.ts"), "utf8");
    expect(source).to.match(/^\/\*\* @ts-ignore.*\ntype ViemContract.*import\("viem"\).*;$/m);
  });
});
