import { expect } from "chai";
import { getBytes, Interface, id } from "ethers";
import { attribute } from "../../../../packages/operator/watch/judging/attribute.ts";
import { openShare, tellMs, unlimited } from "../../../../packages/operator/watch/reading/shares.ts";
import { development } from "../../../../packages/protocol/development.ts";
import { protocolHashes } from "../../../../packages/protocol/protocolHashes.ts";
import { openCurve, openHashes } from "../../../../signer/keys.ts";

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

  it("reads large call data once for all claims of its transaction, and costs each no more than its share", async () => {
    const hashes = await openHashes();
    const verifyingContract = `0x${"22".repeat(20)}` as const;
    const words = Array.from({ length: 2_400 }, (_, i) =>
      (((i * 7_919) % 65_535) + 1).toString(16).padStart(64, "0"),
    );
    const signatures = Array.from({ length: 10_200 }, (_, i) => ((i * i) % 7 < 3 ? "1b" : "1c"));
    const digits = `12345678${words.join("")}${signatures.join("")}${"0".repeat(2_000)}`;
    const transaction = { from: `0x${"01".repeat(20)}`, to: `0x${"66".repeat(20)}`, digits };
    const by = {
      domain: { name: "SignerRegistry", version: "1", chainId: 1, verifyingContract },
      policyHash: `0x${"3".repeat(64)}`,
      signers: new Set([development.signer]),
      curve: await openCurve(hashes),
      hashes: protocolHashes(hashes),
      share: openShare(),
    } as const;
    const since = process.cpuUsage();
    for (let i = 0; i < 60; i++) {
      const claim = {
        address: transaction.to,
        topics: [id("a"), `0x${i.toString(16).padStart(64, "0")}`, id("x")],
        block: 1,
        blockHash: `0x${"1".repeat(64)}`,
        transactionHash: id("t"),
        readAt: 0,
        // No time in the call data is later.
        time: 0xff_ff_ff_ff_ff,
      } as const;
      expect(await attribute(claim, transaction, by)).to.equal(undefined);
    }
    expect(process.cpuUsage(since).user / 1_000).to.be.below(2_500);
  });

  it("finds the signer of a verification in the last second at which it is valid, and not after", async () => {
    const hashes = await openHashes();
    const curve = await openCurve(hashes);
    const { hashVerification } = protocolHashes(hashes);
    const verifyingContract = `0x${"22".repeat(20)}` as const;
    const domain = { name: "SignerRegistry", version: "1", chainId: 1, verifyingContract } as const;
    const policyHash = `0x${"3".repeat(64)}` as const;
    const [user, identityHash, expiration] = [
      `0x${"01".repeat(20)}`,
      id("x") as `0x${string}`,
      1_800_000_000,
    ];
    const digest = hashVerification(domain, { user, identityHash, policyHash, expiration });
    const signature = curve.sign(digest, getBytes(development.signingKey));
    const call = new Interface(["function claim(bytes32, uint40, bytes)"]);
    const data = call.encodeFunctionData("claim", [identityHash, expiration, signature]);
    const find = (time: number) =>
      attribute(
        {
          address: `0x${"66".repeat(20)}`,
          topics: [id("a"), `0x${"0".repeat(64)}`, identityHash],
          block: 1,
          blockHash: `0x${"1".repeat(64)}`,
          transactionHash: id("t"),
          readAt: 0,
          time,
        },
        { from: user, to: `0x${"66".repeat(20)}`, digits: data.slice(2) },
        {
          domain,
          policyHash,
          signers: new Set([development.signer]),
          curve,
          hashes: protocolHashes(hashes),
          share: unlimited,
        },
      );
    expect([await find(expiration), await find(expiration + 1)]).to.deep.equal([
      development.signer,
      undefined,
    ]);
  });
});
