import {
  AbiCoder,
  type BaseContract,
  Contract,
  ContractFactory,
  type ContractTransactionResponse,
  concat,
  id,
  keccak256,
  type Signer,
  Wallet,
  ZeroHash,
} from "ethers";
import { compileRivals } from "./compileRivals.ts";
import stored from "./semaphoreProof.json" with { type: "json" };

/** 2100-01-01. */
const expiration = 4_102_444_800;
const identityHash = id("hardhat-identity gas claim");
const abi = AbiCoder.defaultAbiCoder();

/**
 * Deploys each of the contracts that ours are compared with, and sends a claim to it. Returns the claims by name.
 *
 * @param owner Deploys the contracts, and makes every transaction that has to come before a claim.
 * @param claimer The second account of a Hardhat node, whose address the stored proof is for.
 */
export async function sendRivals(
  owner: Signer,
  claimer: Signer,
): Promise<Record<string, ContractTransactionResponse>> {
  const compiled = compileRivals();
  const user = await claimer.getAddress();
  // A fixed, public key: signatures by another one would have other zero bytes and cost other gas.
  const issuer = new Wallet(id("hardhat-identity gas issuer"));

  async function deploy(name: string, ...args: unknown[]): Promise<Contract> {
    const { abi, bytecode } = compiled.get(name) ?? {};
    if (abi === undefined || bytecode === undefined) throw new Error(`There is no contract ${name}.`);
    const contract: BaseContract = await new ContractFactory(abi, bytecode, owner).deploy(...args);
    await contract.waitForDeployment();
    return new Contract(await contract.getAddress(), abi, owner);
  }
  const send = (contract: Contract, from: Signer, entryPoint: string, ...args: unknown[]) =>
    contract
      .connect(from)
      .getFunction(entryPoint)
      .send(...args);
  const domainOf = async (contract: Contract) => {
    const { name, version, chainId, verifyingContract } = await contract
      .getFunction("eip712Domain")
      .staticCall();
    return { name, version, chainId, verifyingContract };
  };

  async function claimByMerkleProof() {
    // In a tree of 2^20 leaves, twenty siblings lead from a leaf to the root, whatever the other leaves are.
    const proof = Array.from({ length: 20 }, (_, level) => id(`sibling ${level}`));
    const leaf = keccak256(keccak256(abi.encode(["address"], [user])));
    const root = proof.reduce((node, sibling) => keccak256(concat([node, sibling].sort())), leaf);
    return send(await deploy("MerkleClaim", root), claimer, "claim", proof);
  }

  async function claimBySignature(name: "SignatureClaim" | "SignatureMint") {
    const contract = await deploy(name, issuer.address);
    const types = {
      Claim: [
        { name: "user", type: "address" },
        { name: "identityHash", type: "bytes32" },
        { name: "expiration", type: "uint40" },
      ],
    };
    const signature = await issuer.signTypedData(await domainOf(contract), types, {
      user,
      identityHash,
      expiration,
    });
    return send(contract, claimer, "claim", identityHash, expiration, signature);
  }

  async function claimByAttestation() {
    const schemas = await deploy("SchemaRegistry");
    const eas = await deploy("EAS", schemas.target);
    const resolver = await deploy("AttestationClaim", eas.target, issuer.address);
    const registration = ["bytes32 identityHash", resolver.target, false] as const;
    const schema: string = await schemas.getFunction("register").staticCall(...registration);
    await send(schemas, owner, "register", ...registration);
    const types = {
      Attest: [
        ["address", "attester"],
        ["bytes32", "schema"],
        ["address", "recipient"],
        ["uint64", "expirationTime"],
        ["bool", "revocable"],
        ["bytes32", "refUID"],
        ["bytes", "data"],
        ["uint256", "value"],
        ["uint256", "nonce"],
        ["uint64", "deadline"],
      ].map(([type = "", name = ""]) => ({ name, type })),
    };
    const attest = async (from: Signer, identity: string, nonce: number) => {
      const recipient = await from.getAddress();
      const data = {
        recipient,
        expirationTime: 0,
        revocable: false,
        refUID: ZeroHash,
        data: identity,
        value: 0,
      };
      const request = { schema, attester: issuer.address, deadline: expiration };
      const message = { ...request, ...data, nonce };
      const domain = await domainOf(eas);
      const signature = await issuer.signTypedData(domain, types, message);
      const [r, s, v] = [
        signature.slice(0, 66),
        `0x${signature.slice(66, 130)}`,
        `0x${signature.slice(130)}`,
      ];
      return send(eas, from, "attestByDelegation", { ...request, data, signature: { v, r, s } });
    };
    // An attester's first attestation also pays for the nonce's storage slot. The measured one is a later one.
    await attest(owner, id("somebody else"), 0);
    return attest(claimer, identityHash, 1);
  }

  async function claimByMembership() {
    const verifier = await deploy("SemaphoreVerifier");
    const { target: poseidon } = await deploy("PoseidonT3");
    const semaphore = compiled.get("Semaphore");
    if (semaphore === undefined) throw new Error("There is no contract Semaphore.");
    // Links the only library that it calls.
    const bytecode = semaphore.bytecode.replace(/__\$\w{34}\$__/g, String(poseidon).slice(2).toLowerCase());
    compiled.set("Semaphore", { ...semaphore, bytecode });
    const groups = await deploy("Semaphore", verifier.target);
    await send(groups, owner, "createGroup()");
    await send(groups, owner, "addMembers", 0, stored.members);
    return send(await deploy("MembershipClaim", groups.target, 0), claimer, "claim", stored.proof);
  }

  return {
    "MerkleClaim.claim": await claimByMerkleProof(),
    "SignatureClaim.claim": await claimBySignature("SignatureClaim"),
    "SignatureMint.claim": await claimBySignature("SignatureMint"),
    "EAS.attestByDelegation": await claimByAttestation(),
    "MembershipClaim.claim": await claimByMembership(),
  };
}
