import { createHmac, randomBytes } from "node:crypto";

const day = 86_400_000;

/**
 * Names clients for the log, so that one who floods is seen to be one, and nobody learns who it is: by a hash under a key
 * that this process makes for each day (UTC), keeps to itself, and forgets.
 *
 * @returns The name of a client; see {@link clientReader}.
 */
export function clientMarker(): (client: string) => string {
  let key = { of: Number.NaN, bytes: Buffer.alloc(0) };
  return (client) => {
    const today = Math.floor(Date.now() / day);
    if (key.of !== today) key = { of: today, bytes: randomBytes(32) };
    return createHmac("sha256", key.bytes).update(client).digest("base64url").slice(0, 12);
  };
}
