import { expect } from "chai";
import { network } from "hardhat";

describe("Every refusal of a wallet", () => {
  async function fixture() {
    const { ethers, identity, provider: node } = await network.create("identityLocal");
    const [alice, bob] = await ethers.getSigners();
    const call = { to: bob.address, value: "0x1" };
    const send = async (change = {}) => {
      const request = {
        version: "2.0.0",
        from: alice.address,
        chainId: "0x14a34",
        atomicRequired: true,
        calls: [call],
      };
      const params = [{ ...request, ...change }];
      return node.request({ method: "wallet_sendCalls", params }).catch((error) => error.code);
    };
    return { wallet: identity.wallet, alice, bob, call, send };
  }

  it("can be provoked", async () => {
    const { wallet, alice, bob, call, send } = await fixture();
    expect(await send({ chainId: "0x1" })).to.equal(-32602);
    expect(await send({ version: "1.0" })).to.equal(-32000);

    wallet.rejectNext();
    expect(await send()).to.equal(4001);
    wallet.approve = ({ calls }) => calls.length < 2;
    expect(await send({ calls: [call, call] })).to.equal(4001);

    wallet.authorize({ accounts: [bob.address] });
    expect(await send()).to.equal(4100);
    wallet.authorize({ methods: ["wallet_getCapabilities"] });
    expect(await send()).to.equal(4100);
    wallet.authorize();

    const paymasterService = { url: "https://paymaster.example" };
    expect(await send({ capabilities: { paymasterService } })).to.equal(5700);

    wallet.maxCalls = 1;
    expect(await send({ calls: [call, call] })).to.equal(5740);
    wallet.reset();

    wallet.supports7702 = false;
    expect(await send({ calls: [call, call] })).to.equal(5710);
    wallet.reset();

    wallet.approveUpgrade = (account) => account !== alice.address.toLowerCase();
    expect(await send({ calls: [call, call] })).to.equal(5750);
    wallet.reset();

    expect(await send({ id: "0x1" })).to.include({ batchId: "0x1" });
    expect(await send({ id: "0x1" })).to.equal(5720);
  });
});
