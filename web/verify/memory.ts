// What this tab knows while the person is at a provider, or loads the page again. Other tabs have memories of their own.

const query = "query";
const wallet = "wallet";
const signedIn = "signed-in";

/** Keeps what the app asked, for a sign-in at a provider that comes to nothing. */
export function rememberQuery(): void {
  write(query, location.search);
}

/**
 * Whether the browser comes from a sign-in at a provider that has ended, which the service tells by `ended`. What the app
 * asked is put into the address again.
 */
export function comesBackEnded(): boolean {
  if (!new URLSearchParams(location.search).has("ended")) return false;
  history.replaceState(null, "", `${location.pathname}${read(query) ?? ""}`);
  return true;
}

/** Keeps which wallet is about to sign in, by its domain; none when the person has another in mind. */
export function rememberWallet(domain: string | undefined): void {
  write(wallet, domain);
}

/** The wallet that the person has chosen and that has not signed in yet, by its domain. */
export const recallWallet = (): string | undefined => read(wallet);

/** From now on nobody finds out here which wallet it was, unless its session ends under a click. */
export function noteSignedIn(): void {
  move(wallet, signedIn);
}

/** The wallet whose session has ended is about to sign in again. */
export function noteSignInAgain(): void {
  move(signedIn, wallet);
}

function move(from: string, to: string): void {
  write(to, read(from));
  write(from, undefined);
}

// A browser may keep nothing for pages.

function read(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // Then the person says it again.
  }
}
