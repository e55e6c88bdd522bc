import type { Problem } from "../../protocol/errors.ts";
import type {
  EraseRequest,
  LinkRequest,
  MessageAnswer,
  MessageRequest,
  Overview,
  ProofRequest,
  ProveAnswer,
  ProveRequest,
  SignOutRequest,
} from "../../protocol/verifyPage.ts";

/** What the service answered in place of what was asked; or that it could not be reached. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
  readonly code: Problem["code"] | "unreachable";

  constructor(code: Problem["code"] | "unreachable", detail: string) {
    super(detail);
    this.code = code;
  }
}

// Beside the page, whatever path it is served under.
const base = new URL("verify/", location.href);

export function readOverview(): Promise<Overview> {
  return ask<Overview>(`overview${location.search}`, {});
}

export async function askMessage(wallet: string): Promise<string> {
  return (await post<MessageAnswer>("message", { wallet } satisfies MessageRequest)).message;
}

export const link = (request: LinkRequest): Promise<void> => post("link", request);

/** Starts a sign-in at a provider, and tells where. */
export async function prove(request: Omit<ProveRequest, "query">): Promise<string> {
  const query = location.search.slice(1);
  return (await post<ProveAnswer>("prove", { ...request, query } satisfies ProveRequest)).location;
}

export const keep = (request: ProofRequest): Promise<void> => post("keep", request);
export const discard = (request: ProofRequest): Promise<void> => post("discard", request);
export const erase = (request: EraseRequest): Promise<void> => post("erase", request);
export const signOut = (request: SignOutRequest): Promise<void> => post("sign-out", request);

function post<Answer = void>(path: string, body: object): Promise<Answer> {
  return ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(path, base), init);
    text = await response.text();
  } catch {
    throw new ServiceFailure("unreachable", "The service cannot be reached. Check your connection.");
  }
  const answer = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  const problem: Problem = answer;
  throw new ServiceFailure(problem.code, problem.detail);
}
