// The cryptography of a verification, by the native code that this service uses, and nothing else: no policy, no
// credential, no check of the message, no audit trail, no log and no metric.
import { createHmac, createSecretKey } from "node:crypto";
import { createKeccak } from "hash-wasm";
import secp256k1 from "secp256k1";
import { readSetting } from "./settings.ts";

const hasher = await createKeccak(256);
const keccak = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest("binary");
const hash = (...parts: readonly Uint8Array[]) => keccak(Buffer.concat(parts));
const bytesOf = (hex: string) => Buffer.from(hex.slice(2), "hex");
const hex = (...parts: readonly Uint8Array[]) => `0x${Buffer.concat(parts).toString("hex")}`;

/** Encodes a number or an address as Solidity's ABI does. */
const word = (value: number | Uint8Array): Uint8Array =>
  Buffer.from(
    (typeof value === "number" ? value.toString(16) : hex(value).slice(2)).padStart(64, "0"),
    "hex",
  );
const text = (value: string) => keccak(Buffer.from(value));

const signingKey = bytesOf(readSetting("SIGNING_KEY"));
const identityKey = createSecretKey(bytesOf(readSetting("SECRET")));
const policyHash = bytesOf(readSetting("POLICY_HASH"));
const domainHash = hash(
  text("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
  text("SignerRegistry"),
  text("1"),
  word(Number(readSetting("CHAIN_ID"))),
  word(bytesOf(readSetting("REGISTRY"))),
);
const typeHash = text("Verification(address user,bytes32 identityHash,bytes32 policyHash,uint40 expiration)");
const prefix = Buffer.from("1901", "hex");

/** Answers any wallet that signed a message with a signed verification. */
export function issue({ message, signature }: { message: string; signature: string }): object {
  const user = recover(message, bytesOf(signature));
  const identityHash = createHmac("sha256", identityKey).update(user).digest();
  const expiration = Math.floor(Date.now() / 1000) + 300;
  const verification = hash(typeHash, word(user), identityHash, policyHash, word(expiration));
  const signed = secp256k1.ecdsaSign(hash(prefix, domainHash, verification), signingKey);
  return {
    identityHash: hex(identityHash),
    expiration,
    signature: hex(signed.signature, Uint8Array.of(27 + signed.recid)),
  };
}

/** Returns the address that signed a message (EIP-191). */
function recover(message: string, signature: Uint8Array): Uint8Array {
  const bytes = Buffer.from(message);
  const digest = hash(Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes);
  const publicKey = secp256k1.ecdsaRecover(
    signature.subarray(0, 64),
    (signature[64] ?? 0) - 27,
    digest,
    false,
  );
  return keccak(publicKey.subarray(1)).subarray(12);
}
