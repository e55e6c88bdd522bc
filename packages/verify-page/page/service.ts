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
  ReturnAddress,
  SignOutRequest,
} from "../messages.ts";
import { fetchAnswer } from "../shared/fetchAnswer.ts";

// Relative to the page, which can be served under any path.
const base = new URL("verify/", location.href);

export function readOverview(query = location.search): Promise<Overview> {
  return fetchAnswer(new URL(`overview${query}`, base));
}

/** Reads the return address of an app whose link is wrong elsewhere; `undefined` if the page would ask before it returns. */
export async function readWayBack(): Promise<ReturnAddress | undefined> {
  const query = new URLSearchParams(location.search);
  for (const name of ["providers", "wallet", "since"]) query.delete(name);
  const { returnTo } = await readOverview(`?${query}`);
  return returnTo?.kind === "trusted" ? returnTo : undefined;
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
