import { expect } from "chai";
import { formerSigners } from "../../../signer/internal/service/formerSigners.ts";

const registry = `0x${"12".repeat(20)}`;
const reading = { allowed: ["one", "two"], problem: undefined };

describe("The signers that a registry's allowlist has had", () => {
  /** Those that a store knows, which fails as often as a test says. */
  function fixture() {
    const known = new Set<string>();
    const asked: string[] = [];
    let failures = 0;
    const store = {
      async noteAllowed(_registry: string, signer: string) {
        asked.push(signer);
        if (failures-- > 0) throw new Error("The disk is full.");
        known.add(signer);
      },
      wasAllowed: async (_registry: string, signer: string) => known.has(signer),
    };
    const fail = (times: number) => {
      failures = times;
    };
    return { known, asked, fail, store, former: formerSigners(store, registry) };
  }

  it("are noted in the store once, also after it has failed for one of them", async () => {
    const { known, asked, fail, former } = fixture();
    fail(1);
    await former.note(reading);
    expect([...known]).to.deep.equal(["two"]);
    for (let i = 0; i < 2; i++) await former.note(reading);
    expect([...known].sort()).to.deep.equal(["one", "two"]);
    expect(asked).to.deep.equal(["one", "two", "one"]);
  });

  it("are known to the next process, and are nobody while the store cannot be asked", async () => {
    const { former, store } = fixture();
    await former.note(reading);
    const next = formerSigners(store, registry);
    expect(await next.describeRemoved("two")).to.include("The signer two was removed");
    expect(await next.describeRemoved("three")).to.equal(undefined);
    store.wasAllowed = () => Promise.reject(new Error("The disk is full."));
    expect(await next.describeRemoved("two")).to.equal(undefined);
  });
});
