import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { properties, startTarget, type Target, tryProperty } from "../../fixtures/signer/anyRequest.ts";
import { signedRequest } from "../../fixtures/signer/signIn.ts";

describe("The service, after many requests,", () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });

  for (const [what, property] of Object.entries(properties)) {
    it(`gives a documented answer, no secret and no unjustified signature, to any ${what}`, () =>
      tryProperty(property, target, 100)).timeout(6_000_000);
  }

  it("keeps nothing in memory of the requests that it answered", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc");
    const headers = { "content-type": "application/json" };
    const path = "/v1/onchain_verifications";
    const good = JSON.stringify(await signedRequest(target.wallet, target.consumer));
    const requests = [
      { method: "POST", path, headers, body: good },
      { method: "POST", path, headers, body: good.replace("Verify", "verify") },
      { method: "GET", path: "/verify/overview" },
      { method: "GET", path: "/nothing" },
    ];
    /** Bytes of the heap after a thousand more requests of each kind. */
    async function measureAfterMore() {
      for (let i = 0; i < 250; i++) {
        await Promise.all([...requests, ...requests, ...requests, ...requests].map(target.send));
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    }
    // Begin to measure after late compilation and caching.
    await measureAfterMore();
    const heaps: number[] = [];
    while (heaps.length < 6) heaps.push(await measureAfterMore());
    // A single reading is off by megabytes: the least of three is not, and the second three have seen three thousand more.
    const growth = Math.min(...heaps.slice(3)) - Math.min(...heaps.slice(0, 3));
    // Half a kilobyte of each request of one kind.
    expect(growth).to.be.below(3 * 500_000);
  }).timeout(600_000);
});
