import { createHmac, hkdfSync } from "node:crypto";
import { AbiCoder } from "ethers";

const abi = AbiCoder.defaultAbiCoder();

/** By which accounts are told from one another. Not by the house's own code: it judges what that code answers. */
export interface Identities {
  /** What stands for an account in the store. */
  pseudonym(accountId: string): string;
  /** What stands for it in one consumer's verifications. */
  identityHash(accountId: string, consumer: string): string;
}

/** @param input.secret The master secret, 32 bytes hex. */
export function createIdentities(input: { secret: string; chainId: number; provider: string }): Identities {
  const accountKey = deriveKey(input.secret, "account");
  const identityKey = deriveKey(input.secret, "identity");
  const pseudonym = (accountId: string) =>
    hash(accountKey, abi.encode(["string", "string"], [input.provider, accountId]));
  return {
    pseudonym,
    identityHash: (accountId, consumer) =>
      hash(
        identityKey,
        abi.encode(["uint256", "address", "bytes32"], [input.chainId, consumer, pseudonym(accountId)]),
      ),
  };
}

const hash = (key: Buffer, encoded: string) =>
  `0x${createHmac("sha256", key).update(encoded.slice(2), "hex").digest("hex")}`;

function deriveKey(secret: string, purpose: string): Buffer {
  const label = `hardhat-identity/${purpose}/v1`;
  return Buffer.from(hkdfSync("sha256", Buffer.from(secret.slice(2), "hex"), Buffer.alloc(0), label, 32));
}
