import { expect } from "chai";
import { id } from "ethers";
import { attribute } from "../../../packages/operator/watch/attribute.ts";
import { openShare, tellMs } from "../../../packages/operator/watch/shares.ts";
import { protocolHashes } from "../../../packages/protocol/protocolHashes.ts";
import { openCurve, openHashes } from "../../../signer/keys.ts";

describe("The search for who signed a claim", () => {
  it("leaves enough of a contract's share to tell the claim, however much the call data resembles signatures", async () => {
    const hashes = await openHashes();
    const curve = await openCurve(hashes);
    const now = 1_800_000_000;
    const words = Array.from({ length: 12 }, (_, i) => (now + i + 5).toString(16).padStart(64, "0")).join("");
    const signatures = Array.from(
      { length: 1_500 },
      (_, i) => `${(i % 256).toString(16).padStart(2, "0")}1b`,
    );
    const claim = {
      address: `0x${"66".repeat(20)}`,
      topics: [id("a"), `0x${"0".repeat(64)}`, id("x")],
      block: 1,
      blockHash: `0x${"1".repeat(64)}`,
      transactionHash: id("t"),
      readAt: 0,
      time: now,
    } as const;
    const share = openShare();
    share.take(1_700);
    const verifyingContract = `0x${"22".repeat(20)}` as const;
    const signer = await attribute(
      claim,
      { from: `0x${"01".repeat(20)}`, to: claim.address, digits: `12345678${words}${signatures.join("")}` },
      {
        domain: { name: "SignerRegistry", version: "1", chainId: 1, verifyingContract },
        policyHash: `0x${"3".repeat(64)}`,
        signers: new Set(["a signer"]),
        // As slow as the portable one on a small machine.
        curve: {
          ...curve,
          recover() {
            const until = performance.now() + 5;
            while (performance.now() < until);
            return undefined;
          },
        },
        hashes: protocolHashes(hashes),
        share,
      },
    );
    expect([signer, share.take(tellMs)]).to.deep.equal([undefined, true]);
  });
});
