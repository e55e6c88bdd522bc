import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import hardhatIdentity from "../../tasks/index.ts";
import { withWalletSettings } from "../../tasks/internal/wallet/withWalletSettings.ts";

describe("A connection that is opened with settings of its wallet", () => {
  it("merges them with the configuration's, also after a reset, for no other connection", async () => {
    const hre = await createHardhatRuntimeEnvironment({
      plugins: [hardhatIdentity],
      identity: { wallet: { maxCalls: 3 } },
    });
    const open = () => hre.network.create("identityLocal");
    const kept = await withWalletSettings(hre, {}, open);
    expect(kept.identity.wallet).to.include({ maxCalls: 3, acceptMissingValue: true });
    const { wallet } = (await withWalletSettings(hre, { acceptMissingValue: false }, open)).identity;
    wallet.maxCalls = 7;
    wallet.reset();
    expect(wallet).to.include({ maxCalls: 3, acceptMissingValue: false });
    expect((await open()).identity.wallet).to.include({ acceptMissingValue: true });
  });
});
