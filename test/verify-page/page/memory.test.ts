import { expect } from "chai";
import { replace } from "../../fixtures/replace.ts";

// In a variable, so that the compiler does not follow the import: it checks tests without a browser's types.
const file = "../../../packages/verify-page/page/memory.ts";
const { readEnd, rememberQuery } = await import(file);

const returningTo = (url: string) => String(new URLSearchParams({ redirect_uri: url }));
const app = returningTo("https://app.example/");

describe("A tab of the verify page that comes back from a provider", () => {
  /** Opens the page at a query, after the tab has left from another one or from none. */
  function comeBack(search: string, left?: string) {
    const kept = new Map<string, string>();
    const page = globalThis as { sessionStorage?: object; location?: object; history?: object };
    replace(page, "sessionStorage", {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    });
    if (left !== undefined) {
      replace(page, "location", { search: left, pathname: "/verify" });
      rememberQuery();
    }
    let address = `/verify${search}`;
    replace(page, "location", { search, pathname: "/verify" });
    replace(page, "history", {
      replaceState(_state: unknown, _unused: string, url: string) {
        address = url;
      },
    });
    return { end: readEnd(), address };
  }

  for (const [what, search, left, end, address] of [
    ["has nothing to say where nothing has ended", `?${app}`, undefined, undefined, `/verify?${app}`],
    [
      "says why, and puts the app's own query again",
      `?ended=late&${app}`,
      undefined,
      "late",
      `/verify?${app}`,
    ],
    [
      "puts the app's state again, which the tab has kept",
      `?ended=late&${app}`,
      `?${app}&state=7`,
      "late",
      `/verify?${app}&state=7`,
    ],
    [
      "puts all again where the service could keep nothing",
      "?ended=used",
      `?${app}&state=7`,
      "used",
      `/verify?${app}&state=7`,
    ],
    [
      "puts nothing again that it has kept for another app",
      `?ended=late&${app}`,
      `?${returningTo("https://other.example/")}&state=7`,
      "late",
      `/verify?${app}`,
    ],
    [
      "knows by itself that the session has ended in it",
      `?ended=elsewhere&${app}`,
      `?${app}`,
      "signedOut",
      `/verify?${app}`,
    ],
    [
      "is in another browser where it has kept nothing",
      `?ended=elsewhere&${app}`,
      undefined,
      "elsewhere",
      `/verify?${app}`,
    ],
    ["says no word that somebody else wrote", "?ended=hello", undefined, "unknown", "/verify"],
  ] as const) {
    it(what, () => {
      expect(comeBack(search, left)).to.deep.equal({ end, address });
    });
  }
});
