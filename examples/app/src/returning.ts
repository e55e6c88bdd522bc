/** The act and account that the user had chosen before leaving for the verify page. */
export interface Intention {
  readonly act: string;
  readonly account: string;
}

export interface Return extends Intention {
  /** Why no account was proven, in the verify page's word; none when one was. */
  readonly error: string | undefined;
}

const key = "left for the verify page";

/** Goes to the verify page, and remembers what to come back to. */
export function leave(verifyUrl: string, intention: Intention): void {
  const url = new URL(verifyUrl);
  // crypto.randomUUID is missing on plain http outside loopback.
  const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
  url.searchParams.set("state", state);
  sessionStorage.setItem(key, JSON.stringify({ ...intention, state }));
  location.assign(url);
}

/** Reads the verify page's answer from the URL and removes it there. Ignores visits that another site started. */
export function readReturn(): Return | undefined {
  const url = new URL(location.href);
  const [state, error] = ["state", "error"].map((name) => url.searchParams.get(name));
  for (const name of ["state", "error", "success"]) url.searchParams.delete(name);
  history.replaceState(null, "", url);

  const left = JSON.parse(sessionStorage.getItem(key) ?? "null");
  if (left === null || left.state !== state) return undefined;
  sessionStorage.removeItem(key);
  return { act: left.act, account: left.account, error: error ?? undefined };
}
