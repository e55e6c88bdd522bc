import { expect } from "chai";
import { createWalletClient, http } from "viem";
import { baseSepolia } from "viem/chains";
import { startHardhat } from "../fixtures/process.ts";

describe("The wallet of `hardhat node`", () => {
  it("takes batches of viem's, and shows why one failed where the node runs", async () => {
    const node = startHardhat([
      "--config",
      "test/fixtures/wallet/walletNode.config.ts",
      "node",
      "--network",
      "identityLocal",
      "--hostname",
      "127.0.0.1",
      "--port",
      "0",
    ]);
    const url = (await node.waitFor(/http:\S+?(?=\/?\s)/)).toString();
    const client = createWalletClient({ chain: baseSepolia, transport: http(url), pollingInterval: 50 });
    const [account = "0x", to = "0x"] = await client.getAddresses();
    const outcomeOf = async (value: bigint) => {
      const { id } = await client.sendCalls({ account, forceAtomic: true, calls: [{ to, value }, { to }] });
      return { id, status: (await client.waitForCallsStatus({ id })).statusCode };
    };
    expect((await outcomeOf(1n)).status).to.equal(200);
    const { id, status } = await outcomeOf(10n ** 24n);
    expect(status).to.equal(500);
    await client.showCallsStatus({ id });
    await node.waitFor(new RegExp(`^Batch +${id}\\nStatus +500 reverted\\n`, "m"));
  }).timeout(120_000);
});
