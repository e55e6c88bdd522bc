import { expect } from "chai";
import { verifyAudit } from "../../../packages/operator/index.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { contentOf, readAudit } from "../../fixtures/signer/audit.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const consumer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const policyHash = `0x${"ab".repeat(32)}` as const;
const provider = "microblog";
const credential = { wallet, provider, accountId: "of-alice-1284917", traits: {}, authenticatedAt: 1 };

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`A change of a store on ${engine}`, () => {
    /** The trail's entries about the store. */
    async function fixture() {
      const opened = await newStore(createDatabase);
      const changes = async () =>
        (await readAudit(opened.options)).filter(({ event }) => !event.startsWith("sequence")).map(contentOf);
      return { ...opened, changes };
    }

    it("is entered with the wallet and without the account if it concerns a credential", async () => {
      const { store, changes } = await fixture();
      await store.set({ ...credential, wallet: wallet.toLowerCase() });
      await store.set({ ...credential, accountId: "another" });
      await store.delete(wallet.toLowerCase(), provider);
      expect(await store.delete(wallet, provider)).to.equal(false);
      expect(await rejection(store.set({ ...credential, accountId: "" }))).to.be.instanceOf(
        InvalidInputError,
      );
      expect(await changes()).to.deep.equal([
        { event: "credential-set", wallet, provider },
        { event: "credential-replaced", wallet, provider },
        { event: "credential-erased", wallet, provider },
      ]);
    });

    it("is entered if it concerns a contract's pin", async () => {
      const { store, changes } = await fixture();
      const asked = { chainId: 84532, consumer, policyHash, cutoffBlock: 2n ** 70n };
      const pin = await store.pin(asked);
      await store.pin({ ...asked, policyHash: `0x${"cd".repeat(32)}` });
      await store.raiseCutoff(pin, { cutoffBlock: 2n ** 71n, cutoffRises: 1, risesSince: 1 });
      await store.resetPins(consumer);
      await store.resetPins(consumer);
      const about = { chainId: 84532, consumer, policyHash };
      expect(await changes()).to.deep.equal([
        { event: "pin-made", ...about, cutoffBlock: String(2n ** 70n) },
        { event: "pin-raised", ...about, cutoffBlock: String(2n ** 71n) },
        { event: "pin-reset", ...about, cutoffBlock: String(2n ** 71n) },
      ]);
    });

    it("is entered for each chain on which a contract's pin is reset", async () => {
      const { store, changes } = await fixture();
      for (const chainId of [1, 84532]) await store.pin({ chainId, consumer, policyHash, cutoffBlock: 0n });
      expect(await store.resetPins(consumer)).to.have.length(2);
      const reset = (await changes()).filter((entry) => Object(entry).event === "pin-reset");
      expect(reset.map((entry) => Object(entry).chainId)).to.have.members([1, 84532]);
    });

    it("is not made if it cannot be entered", async () => {
      const { store, query, options } = await fixture();
      await store.set(credential);
      const asked = { chainId: 84532, consumer, policyHash, cutoffBlock: 0n };
      const pin = await store.pin(asked);
      const before = await query("select * from credentials");
      await query("alter table audit rename to away");
      const raised = { cutoffBlock: 5n, cutoffRises: 1, risesSince: 1 };
      for (const change of [
        () => store.set({ ...credential, accountId: "another" }),
        () => store.delete(wallet, provider),
        () => store.pin({ ...asked, chainId: 1 }),
        () => store.raiseCutoff(pin, raised),
        () => store.resetPins(consumer),
        () => store.endSessions(),
      ]) {
        await rejection(change());
      }
      expect(await query("select * from credentials")).to.deep.equal(before);
      expect(await store.listPins()).to.deep.equal([pin]);
      expect(await store.sessionEpoch()).to.equal("");
      await query("alter table away rename to audit");
      expect((await verifyAudit(options)).problems).to.deep.equal([]);
    });
  });
}
