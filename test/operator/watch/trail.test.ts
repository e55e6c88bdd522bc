import { expect } from "chai";
import { followStore } from "../../../packages/operator/watch/trail.ts";
import { atTime } from "../../fixtures/passTime.ts";
import { alice, bob, type EmptyDatabase, engines, newStore } from "../../fixtures/signer/stores.ts";

describe("The entries of the audit trail that a watch follows", () => {
  it("are read again for five minutes, because another service's clock may be late", async () => {
    const { store, options, open } = await newStore(engines.SQLite as () => Promise<EmptyDatabase>);
    const enter = (to: Pick<typeof store, "enter">, signer: string) =>
      to.enter({ event: "signer-used", chainId: 84532, signer });
    await enter(store, alice);
    const followed = await followStore({ ...options, chainId: 84532 });
    expect([...followed.signers]).to.deep.equal([alice]);
    const late = await open();
    await atTime(Date.now() - 290_000, () => enter(late, bob));
    await followed.refresh(true);
    expect([...followed.signers]).to.deep.equal([alice, bob]);
  });
});
