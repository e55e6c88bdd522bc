import type { ContractTransactionResponse } from "ethers";
import { network } from "hardhat";
import type { Measured } from "../report/report.ts";
import { ownClaims } from "./own.ts";
import { sendRivals } from "./rivals.ts";

/** The compared claims in the order of the table: name → description. */
const claims: Readonly<Record<string, string>> = {
  "SignatureClaim.claim": "OpenZeppelin EIP-712: one signer, fixed",
  "MerkleClaim.claim": "OpenZeppelin Merkle proof, list of 2^20 wallets",
  "MinimalConsumer1.enroll": "**ours**, 1 condition",
  "MinimalConsumer2.enroll": "**ours**, 2 conditions",
  "MinimalConsumer4.enroll": "**ours**, 4 conditions",
  "EAS.attestByDelegation": "EAS 1.4, delegated attestation whose resolver is the claim",
  "MembershipClaim.claim": "Semaphore v4, proof for a group of up to 2^20 members",
  "SignatureMint.claim": "OpenZeppelin EIP-712, mint of an ERC-721 token",
  "MembershipPass.mint": "**ours**, 1 condition, mint of an ERC-721 token",
};

/** Measures the gas of a first claim at our consumers and at the alternatives, from the receipt. */
export async function measureGas(): Promise<Measured> {
  const sent: Record<string, ContractTransactionResponse> = {};
  for (const [name, send] of Object.entries(ownClaims)) if (name in claims) sent[name] = await send();
  // Compiled for little gas, Semaphore's library is larger than a chain allows. No claim calls it.
  const override = { allowUnlimitedContractSize: true };
  const { ethers } = await network.create({ network: "identityLocal", override });
  const [owner, claimer] = await ethers.getSigners();
  if (!owner || !claimer) throw new Error("The node has too few accounts.");
  Object.assign(sent, await sendRivals(owner, claimer));
  const rows = Object.entries(claims).map(async ([name, what]) => {
    const response = sent[name];
    const receipt = await response?.wait();
    const bytes = ((response?.data.length ?? Number.NaN) - 2) / 2;
    return { name: `\`${name}\`: ${what}`, values: { gas: Number(receipt?.gasUsed), bytes } };
  });
  return {
    notes: ["Hardhat's node, chain 84532."],
    columns: [
      { key: "gas", heading: "gas", digits: 0 },
      { key: "bytes", heading: "bytes of call data", digits: 0 },
    ],
    rows: await Promise.all(rows),
    targets: [],
  };
}
