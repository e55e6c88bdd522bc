// Copy this to signer/internal/keys/cloudKms.ts of your clone; docs/keys.md says what else to change.
import { createPublicKey } from "node:crypto";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { computeAddress, getBytes } from "ethers";
import type { Curve } from "../curve/curve.ts";
import { completeSignature } from "./completeSignature.ts";
import { type KeySource, KeyUnavailableError } from "./keySource.ts";

/**
 * @param options.url https://cloudkms.googleapis.com/v1/projects/…/cryptoKeyVersions/1
 * @param options.token Answers an access token, for instance of the machine's metadata server.
 */
export async function cloudKmsSource(
  { url, token }: { url: string; token: () => Promise<string> },
  curve: Curve,
): Promise<KeySource> {
  const { signatureDERToCompact } = await instantiateSecp256k1();

  async function ask(path: string, body?: object) {
    try {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      });
      if (response.ok) return (await response.json()) as { pem?: string; signature?: string };
      throw new Error(`it answers ${response.status}`);
    } catch (error) {
      // Goes to the log: the reason, and nothing that is secret.
      const reason = error instanceof Error ? error.message : "for no reason";
      throw new KeyUnavailableError(`The KMS does not sign: ${reason}.`);
    }
  }

  const { pem = "" } = await ask("/publicKey");
  const { x = "", y = "" } = createPublicKey(pem).export({ format: "jwk" });
  const point = Buffer.concat([x, y].map((part) => Buffer.from(part, "base64url")));
  const address = computeAddress(`0x04${point.toString("hex")}`);
  return {
    address,
    async sign(digest) {
      const sha256 = Buffer.from(getBytes(digest)).toString("base64");
      const { signature = "" } = await ask(":asymmetricSign", { digest: { sha256 } });
      const plain = signatureDERToCompact(Buffer.from(signature, "base64"));
      if (typeof plain === "string") throw new KeyUnavailableError(`The KMS gave no signature: ${plain}`);
      return completeSignature(plain, digest, address, curve);
    },
    async check() {
      await ask("/publicKey");
    },
  };
}
