/** What is chosen in the demo. It stands in the page's address, so that it is still there after the verify page. */
export interface Place {
  /** Name of the consumer. */
  readonly consumer?: string | undefined;
  /** Address of a ballot that was opened since. */
  readonly ballot?: string | undefined;
  /** The wallet's name among wallets (`rdns`). */
  readonly wallet?: string | undefined;
  readonly account?: string | undefined;
}

/** What the verify page says of a person who comes back. */
export interface Return {
  readonly succeeded: boolean;
  readonly error: string | undefined;
}

const names = ["consumer", "ballot", "wallet", "account"] as const;
const stateKey = "state";

export function readPlace(): Place {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])));
}

export function writePlace(place: Place): void {
  const query = new URLSearchParams(
    names.flatMap((name) => (place[name] === undefined ? [] : [[name, place[name]]])),
  );
  history.replaceState(null, "", `?${query}`);
}

/** The verify page's address, with a `state` of this browser's. */
export function leaveFor(verifyUrl: string): string {
  const state = crypto.randomUUID();
  sessionStorage.setItem(stateKey, state);
  const url = new URL(verifyUrl);
  url.searchParams.set("state", state);
  return url.href;
}

/** How the verify page sent the person back; nothing when somebody else did, for then the state is another. */
export function readReturn(): Return | undefined {
  const query = new URLSearchParams(location.search);
  const state = sessionStorage.getItem(stateKey);
  sessionStorage.removeItem(stateKey);
  if (state === null || query.get("state") !== state) return undefined;
  return { succeeded: query.get("success") === "true", error: query.get("error") ?? undefined };
}
