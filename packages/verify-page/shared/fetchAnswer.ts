import type { Problem } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import { timeLimitMs } from "./inTime.ts";

/**
 * An error of the service, by its code. `unreachable`: no answer. `garbled`: something else answered, such as a proxy
 * with its own error page.
 */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
  readonly code: Problem["code"] | "unreachable" | "garbled";

  constructor(code: ServiceFailure["code"], detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * Sends a request and reads JSON. A request without an answer may still have reached the service.
 *
 * @returns The answer; `undefined` if it has no body.
 * @throws ServiceFailure
 */
export async function fetchAnswer<Answer>(url: URL | string, init: RequestInit = {}): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeLimitMs) });
    text = await response.text();
  } catch {
    throw new ServiceFailure("unreachable", `Nothing answers at ${url}.`);
  }
  if (response.status === 204) return undefined as Answer;
  const answer = readJson(text);
  if (response.ok && answer !== undefined) return answer as Answer;
  const { code, detail } = membersOf(answer) as Partial<Problem>;
  if (typeof code === "string") throw new ServiceFailure(code, String(detail));
  throw new ServiceFailure("garbled", `${url} answers ${response.status}, and not as the service does.`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
