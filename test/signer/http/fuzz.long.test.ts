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
      it(`${name}, from seed ${seed}`, async () => {
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
    /** Bytes by which the heap grows with a thousand requests of each kind. */
    async function measureGrowth() {
      const before = await measureHeap();
      for (let i = 0; i < 250; i++) {
        await Promise.all([...requests, ...requests, ...requests, ...requests].map(send));
      }
      return (await measureHeap()) - before;
    }
    // What is compiled and cached late is not counted.
    await measureGrowth();
    const growths = [await measureGrowth(), await measureGrowth(), await measureGrowth()];
    // Half a kilobyte of each request of one kind.
    expect(Math.min(...growths)).to.be.below(500_000);
  }).timeout(600_000);
});
