import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler } from "express";
import { Refusal, settings } from "./rules.ts";

/** Serves what answers a signed message, and says where. */
export function serveExpress(
  answer: (request: { message: string; signature: string }) => Promise<object>,
): void {
  const app = express();
  app.post("/v1/onchain_verifications", express.json({ limit: "16kb" }), async (request, response) => {
    const { message, signature } = request.body ?? {};
    if (typeof message !== "string" || typeof signature !== "string") throw new Refusal(400, "Two texts.");
    response.json(await answer({ message, signature }));
  });
  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(error instanceof Refusal ? error.status : 500).json({ error: String(error) });
  };
  app.use(refuse);
  const server = app.listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  });
}

/** Reads each key once a second at most; a reading that fails is not kept. */
export function keptForASecond<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { value: Promise<T>; since: number }>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined && Date.now() - known.since < 1_000) return known.value;
    const value = read(key);
    kept.set(key, { value, since: Date.now() });
    value.catch(() => kept.delete(key));
    return value;
  };
}

/** EIP-712, of what is signed. */
export const domain = {
  ...{ name: "SignerRegistry", version: "1", chainId: settings.chainId },
  verifyingContract: settings.registry,
} as const;
export const types = {
  Verification: [
    { name: "user", type: "address" },
    { name: "identityHash", type: "bytes32" },
    { name: "policyHash", type: "bytes32" },
    { name: "expiration", type: "uint40" },
  ],
};
