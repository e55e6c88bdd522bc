import type {
  DiscardAnswer,
  EraseRequest,
  LinkRequest,
  MessageAnswer,
  MessageRequest,
  Overview,
  ProofRequest,
  ProveAnswer,
  ProveRequest,
  SignOutRequest,
} from "../messages.ts";
import { fetchAnswer } from "../shared/fetchAnswer.ts";

// Relative to the page, which can be served under any path.
const base = new URL("verify/", location.href);

export function readOverview(): Promise<Overview> {
  return fetchAnswer(new URL(`overview${location.search}`, base));
}

export const askMessage = (wallet: string): Promise<MessageAnswer> =>
  post("message", { wallet } satisfies MessageRequest);

export const link = (request: LinkRequest): Promise<void> => post("link", request);

/** Starts a sign-in at a provider, and tells where. */
export async function prove(request: Omit<ProveRequest, "query">): Promise<string> {
  const query = location.search.slice(1);
  return (await post<ProveAnswer>("prove", { ...request, query } satisfies ProveRequest)).location;
}

export const keep = (request: ProofRequest): Promise<void> => post("keep", request);
export const discard = (request: ProofRequest): Promise<DiscardAnswer> => post("discard", request);
export const erase = (request: EraseRequest): Promise<void> => post("erase", request);
export const signOut = (request: SignOutRequest): Promise<void> => post("sign-out", request);

function post<Answer = void>(path: string, body: object): Promise<Answer> {
  return fetchAnswer(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
