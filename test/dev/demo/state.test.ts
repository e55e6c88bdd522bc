import { expect } from "chai";
import { countRounds, walletsOf } from "../../../packages/dev/demo/story.ts";
import { replace } from "../../fixtures/replace.ts";

// In variables, so that the compiler does not follow the imports: it checks tests without a browser's types.
const files = ["state", "memory"].map((name) => `../../../packages/dev/demo/${name}.ts`);
const [{ emptyDemo, reduce }, { firstRound, recall, remember }] = await Promise.all(
  files.map((file) => import(file)),
);

const redirect = { kind: "redirect", code: "verification_not_found", verifyUrl: "https://a.example/verify" };

/** The demo after some actions. */
const after = (...actions: readonly object[]) => actions.reduce(reduce, emptyDemo);

describe("The demo, for a person who comes back from the verify page,", () => {
  const steps = [{ kind: "message", pieces: [] }];
  const left = [
    { type: "begin", claim: "phone" },
    { type: "step", claim: "phone", step: steps[0] },
    { type: "end", claim: "phone", outcome: redirect, known: [] },
    { type: "leave", claim: "phone", state: "1-2-3-4" },
  ];
  const comeBack = (query: string) => ({ type: "return", query: new URLSearchParams(query) });

  for (const [what, query, phase] of [
    ["has the account", "success=true&state=1-2-3-4", { name: "proven", steps }],
    [
      "says what went wrong",
      "error=access_denied&state=1-2-3-4",
      { name: "cameBack", steps, error: "access_denied" },
    ],
    [
      "says that nothing was proven, after the browser's Back",
      "",
      { name: "cameBack", steps, error: "cancelled" },
    ],
    ["believes no answer without the state that it sent", "success=true", undefined],
    ["believes no answer with another state", "success=true&state=1-2-3-5", undefined],
  ] as const) {
    it(what, () => {
      const demo = after(...left, comeBack(query));
      expect(Object(demo).claims.phone).to.deep.equal(phase);
      // It is told once.
      expect(reduce(demo, comeBack(query)).claims.phone).to.deep.equal(phase);
    });
  }
});

describe("The demo in a tab that is loaded again", () => {
  beforeEach(() => {
    const page = globalThis as { sessionStorage?: object; localStorage?: object };
    for (const name of ["sessionStorage", "localStorage"] as const) {
      const kept = new Map<string, string>();
      replace(page, name, {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
      });
    }
  });

  it("has what has ended, and neither what was under way nor what may be tried again", () => {
    const proving = { name: "proving", steps: [], outcome: redirect };
    for (const [phase, isKept] of [
      [{ name: "ended", steps: [], outcome: { kind: "admitted", identityHash: "0x12" } }, true],
      [{ name: "ended", steps: [], outcome: { kind: "unmet" } }, true],
      [{ ...proving, state: "1-2-3-4" }, true],
      [proving, false],
      [{ name: "claiming", steps: [], wait: "service" }, false],
      [{ name: "ended", steps: [], outcome: { kind: "trouble", trouble: "node" } }, false],
      [{ name: "ended", steps: [], outcome: { kind: "failed", code: "", text: "No." } }, false],
      [{ name: "ended", steps: [], outcome: { kind: "elsewhere", chainId: 1, rpcUrl: "" } }, false],
    ] as const) {
      remember("0xab", {
        ...emptyDemo,
        claims: { phone: phase },
        film: "playing",
        isReturn: true,
        isReset: true,
      });
      const claims = isKept ? { phone: phase } : {};
      const demo = { ...emptyDemo, claims, film: "over" };
      expect(recall("0xab"), JSON.stringify(phase)).to.deep.equal(demo);
    }
    expect(recall("0xcd"), "of another chain").to.equal(undefined);
  });

  it("leaves the wallets of its round to nobody, unless it has claimed nothing or the chain is another", () => {
    remember("0xab", { ...emptyDemo, round: 4 });
    expect(firstRound("0xab")).to.equal(0);
    remember("0xab", { ...after({ type: "begin", claim: "phone" }), round: 4 });
    expect(firstRound("0xab")).to.equal(5);
    expect(firstRound("0xcd")).to.equal(0);
  });
});

describe("The wallets of the demo's rounds", () => {
  const accounts = Array.from({ length: 20 }, (_, i) => `0x${i}`);

  it("are others in each round, and the first ones again after the last", () => {
    const rounds = countRounds(accounts);
    const used = Array.from({ length: rounds }, (_, round) =>
      Object.values(walletsOf(accounts, round)),
    ).flat();
    expect(new Set(used).size).to.equal(3 * rounds);
    // The first owns the registry, and the last is for the story that plays by itself.
    expect(used).to.not.include.members(["0x0"]).and.not.include.members(["0x19"]);
    expect(walletsOf(accounts, rounds)).to.deep.equal(walletsOf(accounts, 0));
    expect(walletsOf(accounts, 0, true).phone).to.equal("0x19");
  });
});
