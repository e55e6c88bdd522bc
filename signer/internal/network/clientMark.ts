import { createHmac, randomBytes } from "node:crypto";

const day = 86_400_000;

/**
 * Names clients in the log, so that a flood by one client shows, but not its address. The name is a keyed hash; the key is
 * random, new each day (UTC), and never leaves this process.
 *
 * @returns A function from a client (see {@link clientReader}) to its name.
 */
export function clientMarker(): (client: string) => string {
  let key = { of: Number.NaN, bytes: Buffer.alloc(0) };
  return (client) => {
    const today = Math.floor(Date.now() / day);
    if (key.of !== today) key = { of: today, bytes: randomBytes(32) };
    return createHmac("sha256", key.bytes).update(client).digest("base64url").slice(0, 12);
  };
}
