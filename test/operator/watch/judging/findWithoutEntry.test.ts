import { expect } from "chai";
import {
  type Claim,
  findWithoutEntry,
} from "../../../../packages/operator/watch/judging/findWithoutEntry.ts";
import { identityUsed } from "../../../../packages/operator/watch/reading/events.ts";
import { atTime } from "../../../fixtures/passTime.ts";
import { alice, type EmptyDatabase, engines, newStore } from "../../../fixtures/signer/stores.ts";

const word = (digit: string) => `0x${digit.repeat(64)}` as const;
const consumer = `0x${"12".repeat(20)}`;

const claimAt = (time: number, identity: string): Claim => ({
  address: consumer,
  topics: [identityUsed, word("0"), word(identity)],
  block: 1,
  blockHash: word("f"),
  transactionHash: word("e"),
  readAt: 0,
  time,
});

describe("The claims that no entry of the audit trail accounts for", () => {
  /** A store, and what its services have entered at a time, in unix seconds, for an identity. */
  async function fixture() {
    const { options, open } = await newStore(engines.SQLite as () => Promise<EmptyDatabase>);
    const sign = (service: Awaited<ReturnType<typeof open>>, time: number, identity: string) =>
      service.enter({
        event: "verification-signed",
        chainId: 84532,
        consumer,
        identityHash: word(identity),
        policyHash: word("3"),
        expiration: time + 300,
        signer: alice,
        requestId: "a",
      });
    const enterAt = (time: number, identity: string) =>
      atTime(time * 1_000, async () => {
        const service = await open();
        await sign(service, time, identity);
        await service.close();
      });
    const find = async (...claims: Claim[]) => {
      const { open, isCut } = await findWithoutEntry(claims, { ...options, isLocal: false });
      return { open: open.map(({ topics }) => topics[2]), isCut };
    };
    return { open, sign, enterAt, find };
  }
  const now = Math.floor(Date.now() / 1_000);

  it("are found among those of several hours, whose entries are hours apart", async () => {
    const { enterAt, find } = await fixture();
    const [early, late] = [now - 36_000, now - 3_600];
    await enterAt(early - 100, "1");
    await enterAt(late - 100, "2");
    const forged = [claimAt(early, "3"), claimAt(late, "4")];
    const found = await find(claimAt(late, "2"), ...forged, claimAt(early, "1"));
    expect(found).to.deep.equal({ open: [word("3"), word("4")], isCut: false });
  });

  it("are found though an entry of about the time of an earlier one was removed as too old", async () => {
    const { open, enterAt, find } = await fixture();
    const removed = now - 400 * 86_400 - 200;
    await atTime(removed * 1_000, async () => {
      const former = await open();
      await former.endSessions();
      await former.close();
    });
    await enterAt(removed + 300, "1");
    await (await open({ audit: { retention: 400 } })).close();
    const honest = claimAt(removed + 400, "1");
    expect(await find(honest)).to.deep.equal({ open: [], isCut: false });
    expect(await find(honest, claimAt(removed + 10_000, "2"))).to.deep.equal({
      open: [word("2")],
      isCut: false,
    });
    expect(await find(claimAt(removed + 400, "2"))).to.deep.equal({ open: [word("2")], isCut: true });
  });

  it("are none of those that a service has signed since its clock, which ran ahead, was set right", async () => {
    const { open, sign, find } = await fixture();
    const service = await open();
    for (const [identity, aheadMs] of [
      ["1", 600_000],
      ["2", 90_000_000],
      ["3", 130_000],
    ] as const) {
      await atTime(Date.now() + aheadMs, () => service.endSessions());
      await sign(service, now, identity);
      expect(await find(claimAt(now + 1, identity)), identity).to.deep.equal({ open: [], isCut: false });
    }
    expect((await find(claimAt(now + 1, "4"))).open).to.deep.equal([word("4")]);
  });
});
