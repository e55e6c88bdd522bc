// A signing key in Google Cloud KMS (EC_SIGN_SECP256K1_SHA256), for IDENTITY_SIGNING_KEY=module:<this file>.
// KMS_KEY is https://cloudkms.googleapis.com/v1/projects/…/cryptoKeyVersions/1. Set KMS_TOKEN_URL outside Google's
// machines only.
import { createPublicKey } from "node:crypto";
import { computeAddress } from "ethers";

const {
  KMS_KEY: key,
  KMS_TOKEN_URL:
    tokenUrl = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
} = process.env;

async function ask(url, options) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(4_000) });
  if (response.ok) return response.json();
  // The message goes to the log, so it has no secret.
  throw new Error(`${new URL(url).host} answers ${response.status}`);
}

async function askKms(path, body) {
  const { access_token } = await ask(tokenUrl, { headers: { "metadata-flavor": "Google" } });
  return ask(`${key}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
}

/** @returns {Promise<import("@hardhat-identity/signer").KeySource>} */
export default async function open() {
  const { pem } = await askKms("/publicKey");
  const { x, y } = createPublicKey(pem).export({ format: "jwk" });
  const point = Buffer.concat([x, y].map((part) => Buffer.from(part, "base64url")));
  return {
    address: computeAddress(`0x04${point.toString("hex")}`),
    async sign(digest) {
      const sha256 = Buffer.from(digest.slice(2), "hex").toString("base64");
      const { signature } = await askKms(":asymmetricSign", { digest: { sha256 } });
      // DER, which the service completes.
      return `0x${Buffer.from(signature, "base64").toString("hex")}`;
    },
    async check() {
      await askKms("/publicKey");
    },
  };
}
