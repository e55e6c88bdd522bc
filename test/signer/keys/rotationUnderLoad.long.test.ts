import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import type { SignedVerification } from "../../../packages/protocol/verification.ts";
import { checkVerification } from "../../../tasks/internal/consumer/check.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { startWithTwoKeys } from "../../fixtures/signer/rotation.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { engines } from "../../fixtures/signer/stores.ts";

/** A verification that a replica issued. */
interface Issued {
  readonly replica: string;
  readonly user: string;
  readonly signer: string;
  readonly verification: SignedVerification;
  /** Where it stands among all requests, by when they were sent. */
  readonly sent: number;
}

describe("Two replicas that are asked all the time", () => {
  /** Wallets that ask two replicas over one store, in turn, until they are stopped. */
  async function fixture() {
    const { databaseUrl } = (await engines.PostgreSQL?.()) ?? {};
    const stack = await startWithTwoKeys({
      IDENTITY_DATABASE_URL: databaseUrl ?? "",
      IDENTITY_VERIFICATION_LIFETIME: "3600",
    });
    const replicas = [stack.url, (await stack.startAnother()).url];
    const consumer = await (await stack.deployConsumer()).getAddress();
    const wallets = await Promise.all(Array.from({ length: 12 }, () => stack.addWallet()));
    const check = (user: string, verification: SignedVerification) =>
      checkVerification(stack.wallet, { ...verification, consumer, user, registry: stack.registry });

    const issued: Issued[] = [];
    const problems: unknown[] = [];
    const underWay = new Set<Promise<void>>();
    let sent = 0;
    let isOver = false;

    /** Asks, and has the registry judge what comes at once. */
    async function ask(wallet: (typeof wallets)[number]): Promise<void> {
      const turn = ++sent;
      const replica = replicas[turn % replicas.length] ?? "";
      const { status, body } = await requestVerification(replica, await signedRequest(wallet, consumer));
      if (status !== 200) return void problems.push({ replica, status, code: body.code });
      const { valid, reason } = await check(wallet.address, body);
      if (!valid) problems.push({ replica, reason });
      const signer = await stack.signerOf(consumer, wallet.address, body);
      issued.push({ replica, user: wallet.address, signer, verification: body, sent: turn });
    }

    async function keepAsking(wallet: (typeof wallets)[number]): Promise<void> {
      while (!isOver) {
        const asked = ask(wallet).catch((error) => void problems.push(String(error)));
        underWay.add(asked);
        await asked;
        underWay.delete(asked);
      }
    }
    const asking = wallets.map(keepAsking);
    onCleanup(() => {
      isOver = true;
    });

    return {
      ...stack,
      check,
      issued,
      /** How many requests were sent until now. */
      sent: () => sent,
      /** Waits until each replica has issued so many, of those that were sent after the given one. */
      async until(wanted: { count: number; by: string; after?: number }): Promise<void> {
        const isDone = (replica: string) =>
          issued.filter(
            (each) =>
              each.replica === replica && each.signer === wanted.by && each.sent > (wanted.after ?? 0),
          ).length >= wanted.count;
        while (!replicas.every(isDone) && problems.length === 0) await setTimeout(10);
        expect(problems).to.deep.equal([]);
      },
      /** Waits for the requests that are under way now. */
      settle: () => Promise.all(underWay),
      async stop(): Promise<void> {
        isOver = true;
        await Promise.all(asking);
        expect(problems).to.deep.equal([]);
      },
    };
  }

  it("refuse nobody during a rotation, and issued verifications hold until the signer is removed", async () => {
    const { first, next, add, remove, check, issued, sent, until, settle, stop } = await fixture();
    await until({ count: 20, by: first.address });
    await add(next);
    await until({ count: 1, by: next.address });
    await settle();
    const changedOver = sent();
    await until({ count: 20, by: next.address, after: changedOver });

    const old = issued.filter(({ signer }) => signer === first.address);
    for (const { user, verification } of old.slice(-10))
      expect(await check(user, verification)).to.deep.equal({ valid: true });
    await remove(first);
    for (const { user, verification } of old.slice(-10))
      expect(await check(user, verification)).to.include({
        valid: false,
        revert: `NotSigner(${first.address})`,
      });
    await until({ count: 20, by: next.address, after: sent() });
    await stop();
    const after = issued.filter((each) => each.sent > changedOver);
    expect(new Set(after.map(({ signer }) => signer))).to.deep.equal(new Set([next.address]));
  }).timeout(180_000);
});
