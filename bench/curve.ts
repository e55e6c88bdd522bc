import { createRequire } from "node:module";
import { instantiateSecp256k1 } from "@bitauth/libauth";
import { createKeccak } from "hash-wasm";

/** The fastest secp256k1 for Node without a compiler. Keys and digests have 32 bytes; signatures are r, s, v. */
export interface Curve {
  readonly name: "native" | "wasm";
  sign(digest: Uint8Array, key: Uint8Array): Uint8Array;
  /** Returns the address whose key signed, lower case hex. Throws if the signature is invalid. */
  recover(digest: Uint8Array, signature: Uint8Array): string;
  /** Returns the address of a key, lower case hex. */
  address(key: Uint8Array): string;
}

const hasher = await createKeccak(256);

export const keccak = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest("binary");

export const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`;

export const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), "hex");

/** Returns the hash of a text that a wallet signs (EIP-191). */
export function hashMessage(message: string): Uint8Array {
  const bytes = Buffer.from(message);
  return keccak(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
}

const toAddress = (publicKey: Uint8Array) => hex(keccak(publicKey.subarray(1)).subarray(12));

function join(signature: Uint8Array, recoveryId: number): Uint8Array {
  const joined = new Uint8Array(65);
  joined.set(signature);
  joined[64] = 27 + recoveryId;
  return joined;
}

const split = (signature: Uint8Array): [Uint8Array, number] => {
  const v = signature[64];
  if (signature.length !== 65 || (v !== 27 && v !== 28))
    throw new Error("It is not a signature of 65 bytes.");
  return [signature.subarray(0, 64), v - 27];
};

/** Loads libsecp256k1, if its package has a compiled file for this machine. */
function loadNative(): Curve | undefined {
  let bindings: typeof import("secp256k1");
  try {
    bindings = createRequire(import.meta.url)("secp256k1/bindings");
  } catch {
    return undefined;
  }
  return {
    name: "native",
    sign(digest, key) {
      const { signature, recid } = bindings.ecdsaSign(digest, key);
      return join(signature, recid);
    },
    recover: (digest, signature) => toAddress(bindings.ecdsaRecover(...split(signature), digest, false)),
    address: (key) => toAddress(bindings.publicKeyCreate(key, false)),
  };
}

async function loadWasm(): Promise<Curve> {
  const secp256k1 = await instantiateSecp256k1();
  const demand = <T>(result: T | string): T => {
    if (typeof result === "string") throw new Error(result);
    return result;
  };
  return {
    name: "wasm",
    sign(digest, key) {
      const { signature, recoveryId } = demand(secp256k1.signMessageHashRecoverableCompact(key, digest));
      return join(signature, recoveryId);
    },
    recover(digest, signature) {
      const [compact, id] = split(signature) as [Uint8Array, 0 | 1];
      return toAddress(demand(secp256k1.recoverPublicKeyUncompressed(compact, id, digest)));
    },
    address: (key) => toAddress(demand(secp256k1.derivePublicKeyUncompressed(key))),
  };
}

/** @param wanted `wasm` to load WebAssembly even if native code is available. */
export async function loadCurve(wanted?: string): Promise<Curve> {
  return (wanted === "wasm" ? undefined : loadNative()) ?? (await loadWasm());
}
