import type { ContractTransactionResponse } from "ethers";
import { network } from "hardhat";

/** 2100-01-01: fixed, because the gas of a call depends on the number of zero bytes in its data. */
const expiration = 4_102_444_800;

/** Opens a new chain with a registry, so that no claim changes the cost of another one. */
async function openChain() {
  const { ethers, identity } = await network.create("identityLocal");
  const registry = await identity.deployRegistry();
  const [, alice] = await ethers.getSigners();
  if (!alice) throw new Error("The node has too few accounts.");

  /** Mints a verification for the wallet `alice`, with the same input in every run. */
  async function mint(consumer: { getAddress(): Promise<string> }) {
    const verification = await identity.mint({
      consumer: await consumer.getAddress(),
      user: alice?.address ?? "",
      identity: "alice",
      expiration,
    });
    return [verification.identityHash, verification.expiration, verification.signature] as const;
  }
  return { ethers, registry, alice, mint };
}

const consumers = ["MinimalConsumer1", "MinimalConsumer2", "MinimalConsumer4", "IncentiveProgram"] as const;

async function enroll(name: (typeof consumers)[number]) {
  const { ethers, registry, alice, mint } = await openChain();
  const { target } = await ethers.deployContract(name, [registry.target]);
  const consumer = await ethers.getContractAt("IncentiveProgram", String(target));
  return consumer.connect(alice).enroll(...(await mint(consumer)));
}

/** Functions that send a first claim at each of our own consumers, by name. */
export const ownClaims: Readonly<Record<string, () => Promise<ContractTransactionResponse>>> = {
  ...Object.fromEntries(consumers.map((name) => [`${name}.enroll`, () => enroll(name)])),
  "MembershipPass.mint": async () => {
    const { ethers, registry, alice, mint } = await openChain();
    const pass = await ethers.deployContract("MembershipPass", [registry.target]);
    return pass.connect(alice).mint(...(await mint(pass)));
  },
  "VerifiedVault.deposit": async () => {
    const { ethers, registry, alice, mint } = await openChain();
    const token = await ethers.deployContract("ExampleToken");
    const vault = await ethers.deployContract("VerifiedVault", [registry.target, token.target]);
    await token.mint(alice.address, 100n);
    await token.connect(alice).approve(vault.target, 100n);
    return vault.connect(alice).deposit(40n, ...(await mint(vault)));
  },
  "Ballot.vote": async () => {
    const { ethers, registry, alice, mint } = await openChain();
    const ballot = await ethers.deployContract("Ballot", [registry.target]);
    return ballot.connect(alice).vote(true, ...(await mint(ballot)));
  },
};
