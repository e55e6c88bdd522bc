import { randomInt } from "node:crypto";
import { expect } from "chai";
import { attacks, fuzz } from "../../fixtures/fuzz/run.ts";
import { type Sent, startTarget, type Target } from "../../fixtures/fuzz/target.ts";
import { signedRequest } from "../../fixtures/signer/signIn.ts";

// `npm run fuzz` does the same for as long as one wants.
describe("Whatever is sent, the service stays as it was, and answers no 5xx: with", () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });

  for (const { name } of attacks) {
    for (const seed of [1, randomInt(2 ** 31)]) {
      it(`random requests of the kind ${name}, from seed ${seed}`, async () => {
        const { heap } = await fuzz(target, { seed, goesOn: (round) => round < 1, name });
        expect(heap).to.have.length(1);
      });
    }
  }

  it("keeps nothing of what it was asked", async () => {
    const { send, measureHeap, wallet, consumer } = target;
    const headers = { "content-type": "application/json" };
    const path = "/v1/onchain_verifications";
    const good = JSON.stringify(await signedRequest(wallet, consumer));
    const requests: readonly Sent[] = [
      { method: "POST", path, headers, body: good },
      { method: "POST", path, headers, body: good.replace("Verify", "verify") },
      { method: "GET", path: "/verify/overview" },
      { method: "GET", path: "/nothing" },
    ];
    /** Bytes of the heap after a thousand more requests of each kind. */
    async function measureAfterMore() {
      for (let i = 0; i < 250; i++) {
        await Promise.all([...requests, ...requests, ...requests, ...requests].map(send));
      }
      return await measureHeap();
    }
    // What is compiled and cached late is not counted.
    await measureAfterMore();
    const heaps: number[] = [];
    while (heaps.length < 6) heaps.push(await measureAfterMore());
    // A single reading is off by megabytes: the least of three is not, and the second three have seen three thousand more.
    const growth = Math.min(...heaps.slice(3)) - Math.min(...heaps.slice(0, 3));
    // Half a kilobyte of each request of one kind.
    expect(growth).to.be.below(3 * 500_000);
  }).timeout(600_000);
});
