import { createHmac, hkdfSync } from "node:crypto";
import { AbiCoder } from "ethers";

const abi = AbiCoder.defaultAbiCoder();

/** The derivation of identities. Independent of the product's code, because it checks that code's answers. */
export interface Identities {
  /** Returns the pseudonym that identifies an account in the store. */
  pseudonym(accountId: string): string;
  /** Returns the hash that identifies an account in one consumer's verifications. */
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
