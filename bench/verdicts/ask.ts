import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** What was answered; status 0, and why, where nothing was. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Milliseconds; nobody waits longer for a verification. */
const patience = 30_000;

/** Asks a service for a verification. */
export function ask(url: string, body: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, retryAfter: undefined, body: error.message });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(`${url}/v1/onchain_verifications`, {
      method: "POST",
      agent,
      headers,
      timeout: patience,
    });
    sent.once("timeout", () => sent.destroy(new Error(`There was no answer in ${patience} ms.`)));
    sent.once("error", fail);
    sent.once("response", (response) => {
      const { statusCode: status = 0, headers: given } = response;
      text(response).then(
        (received) => resolve({ status, retryAfter: given["retry-after"], body: received }),
        fail,
      );
    });
    sent.end(body);
  });
}
