import type { Problem } from "../../protocol/errors.ts";

/** Where an app wants its user back; see signer/http/verify/redirect.ts. */
export interface ReturnAddress {
  readonly kind: "trusted" | "ask";
  readonly origin: string;
  readonly url: string;
  readonly success: string;
  readonly errors: Readonly<Record<ReturnError, string>>;
}
export type ReturnError =
  | "cancelled"
  | "no_wallet"
  | "signature_rejected"
  | "access_denied"
  | "provider_unavailable";

type Traits = Readonly<Record<string, string>>;

export interface Account {
  readonly provider: string;
  readonly label: string;
  readonly traits: Traits;
  readonly authenticatedAt: number;
}

/** How a sign-in at a provider ended. */
export type Proof =
  | (Account & { readonly step: "proven"; readonly replaces: boolean })
  | { readonly step: "failed"; readonly provider: string; readonly label: string; readonly reason: string };

/** Everything that the page shows; see signer/http/verify/overview.ts. */
export interface Overview {
  readonly pageUrl: string;
  readonly chainId: number;
  readonly providers: readonly { readonly name: string; readonly label: string; readonly asked: boolean }[];
  readonly returnTo?: ReturnAddress;
  readonly wallet?: string;
  readonly accounts?: readonly Account[];
  readonly proof?: Proof;
  readonly development?: { readonly rpcUrl: string };
}

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
  return (await post<{ message: string }>("message", { wallet })).message;
}

export function link(signature: string): Promise<void> {
  return post("link", { signature });
}

/** Starts a sign-in at a provider, and tells where. */
export async function prove(provider: string): Promise<string> {
  return (await post<{ location: string }>("prove", { provider, query: location.search.slice(1) })).location;
}

export const keep = (): Promise<void> => post("keep");
export const discard = (): Promise<void> => post("discard");
export const signOut = (): Promise<void> => post("sign-out");
export const erase = (provider: string): Promise<void> => post("erase", { provider });

function post<Answer = void>(path: string, body: object = {}): Promise<Answer> {
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
