import type { Curve } from "./curve.ts";
import type { FastHashes } from "./hashes.ts";
import { nativeCurve } from "./nativeCurve.ts";

/** Opens native code if this machine has some that works, and portable code otherwise. */
export async function openCurve(hashes: FastHashes): Promise<Curve> {
  try {
    const native = nativeCurve(hashes);
    if (isRight(native)) return native;
  } catch {
    // This machine has none.
  }
  // Loaded only here, because it takes long.
  const { portableCurve } = await import("./portableCurve.ts");
  return portableCurve;
}

/** A signature of the key 1 by RFC 6979, as a self-test: code that is broken on a machine must not judge signatures. */
const known = {
  privateKey: Uint8Array.of(...new Uint8Array(31), 1),
  address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  digest: "0xa0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
  signature:
    "0x934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e51c",
} as const;

function isRight(curve: Curve): boolean {
  const { privateKey, address, digest, signature } = known;
  return curve.sign(digest, privateKey) === signature && curve.recover(digest, signature) === address;
}
