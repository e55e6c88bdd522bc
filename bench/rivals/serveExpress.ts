import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler } from "express";
import { Refusal } from "./rules.ts";

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
