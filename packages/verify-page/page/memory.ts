import { type SignInEnd, signInEnds } from "@hardhat-identity/protocol/signInEnd";
import { tabMemory } from "../shared/storage.ts";

// This tab's memory while the person is at a provider, or reloads the page.

const query = "query";
const wallet = "wallet";
const chain = "chain";
const signedIn = "signed-in";
const provider = "provider";

/** Keeps what the app asked, for a sign-in at a provider that comes to nothing. */
export function rememberQuery(): void {
  tabMemory.write(query, location.search);
}

/** Why a sign-in at a provider cannot be finished here: as the service tells, or the session has ended in this tab. */
export type End = SignInEnd | "signedOut";

/**
 * Tells why a sign-in at a provider cannot be finished here, if the browser comes from one: by `ended` in the address, into
 * which what the app asked is put again. This tab may know more of that than the service.
 */
export function readEnd(): End | undefined {
  const told = new URLSearchParams(location.search);
  const ended = told.get("ended");
  if (ended === null) return undefined;
  told.delete("ended");
  const kept = tabMemory.read(query);
  const appOf = (asked: URLSearchParams) => asked.get("redirect_uri");
  const isKept = kept !== undefined && [null, appOf(new URLSearchParams(kept))].includes(appOf(told));
  const asked = isKept ? kept : `${told}` && `?${told}`;
  history.replaceState(null, "", `${location.pathname}${asked}`);
  if (ended === "elsewhere" && isKept) return "signedOut";
  return signInEnds.find((each) => each === ended) ?? "unknown";
}

/** Keeps at which provider the person is; none when they have finished there. */
export function noteLeft(name: string | undefined): void {
  tabMemory.write(provider, name);
}

/** Whether this tab, and no other, is the one in which the person left for a provider. */
export const hasLeftFor = (name: string): boolean => tabMemory.read(provider) === name;

/** Keeps which wallet is about to sign in, by its domain; none when the person has another in mind. */
export function rememberWallet(domain: string | undefined): void {
  tabMemory.write(wallet, domain);
}

/** The wallet that the person has chosen and that has not signed in yet, by its domain. */
export const recallWallet = (): string | undefined => tabMemory.read(wallet);

/** Keeps the chain that the wallet looks at, for a page that is loaded again and has a slow wallet. */
export function rememberChain(chainId: number | undefined): void {
  tabMemory.write(chain, chainId?.toString());
}

/** The chain that the wallet looked at before the page was loaded again. */
export const recallChain = (): number | undefined => Number(tabMemory.read(chain)) || undefined;

/** From here on, remembers only that somebody is signed in, and not with which wallet. */
export function noteSignedIn(): void {
  move(wallet, signedIn);
}

/** The wallet whose session has ended is about to sign in again. */
export function noteSignInAgain(): void {
  move(signedIn, wallet);
}

function move(from: string, to: string): void {
  tabMemory.write(to, tabMemory.read(from));
  tabMemory.write(from, undefined);
}
