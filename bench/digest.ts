import { bytesOf, keccak } from "./curve.ts";

const ascii = (text: string) => keccak(Buffer.from(text));
const word = (value: number) => bytesOf(`0x${value.toString(16).padStart(64, "0")}`);
const addressWord = (address: Uint8Array) => Buffer.concat([Buffer.alloc(12), address]);

/** Returns the EIP-712 domain separator of a registry. */
export function separateDomain({ chainId, registry }: { chainId: number; registry: string }): Uint8Array {
  const type = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
  const values = [ascii("SignerRegistry"), ascii("1"), word(chainId), addressWord(bytesOf(registry))];
  return keccak(Buffer.concat([ascii(type), ...values]));
}

const type = ascii("Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)");
const struct = Buffer.alloc(5 * 32);
struct.set(type);
const digest = Buffer.alloc(2 + 2 * 32);
digest.set([0x19, 0x01]);

/** Returns the EIP-712 digest of a verification. Independent of the product's code, because it checks that code. */
export function hashVerification(
  domain: Uint8Array,
  verification: {
    readonly user: Uint8Array;
    readonly identityHash: Uint8Array;
    readonly policyHash: Uint8Array;
    readonly expiration: number;
  },
): Uint8Array {
  struct.set(verification.user, 32 + 12);
  struct.set(verification.identityHash, 2 * 32);
  struct.set(verification.policyHash, 3 * 32);
  struct.writeUIntBE(verification.expiration, 5 * 32 - 6, 6);
  digest.set(domain, 2);
  digest.set(keccak(struct), 2 + 32);
  return keccak(digest);
}
