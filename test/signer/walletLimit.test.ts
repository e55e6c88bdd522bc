import { expect } from "chai";
import { Wallet } from "ethers";
import { ServiceError } from "../../signer/internal/serviceError.ts";
import { limitWallets } from "../../signer/internal/walletLimit.ts";
import { requestVerification, signedRequest, signInMessage } from "../fixtures/signIn.ts";
import { startStack } from "../fixtures/stack.ts";

describe("The limit for each wallet", () => {
  it("counts what the wallet signed, wherever it comes from, and nothing that somebody else sends", async () => {
    const stack = await startStack({ IDENTITY_WALLET_RATE_LIMIT: "2", IDENTITY_TRUST_PROXY: "1" });
    const { wallet, address, request } = await stack.participate();
    const message = signInMessage({ address: wallet.address, consumer: address });
    const forged = { message, signature: await Wallet.createRandom().signMessage(message) };
    for (let i = 0; i < 3; i++) {
      expect((await requestVerification(stack.url, forged)).body.code).to.equal("invalid_argument");
    }
    expect([(await request()).status, (await request()).status]).to.deep.equal([200, 200]);
    const { status, body, response } = await request();
    expect(status).to.equal(429);
    expect(body.code).to.equal("rate_limited");
    expect(Number(response.headers.get("retry-after"))).to.be.within(1, 60);
    const other = await stack.addWallet();
    expect((await requestVerification(stack.url, await signedRequest(other, address))).status).to.equal(200);
    const elsewhere = await stack.deployConsumer();
    const again = await signedRequest(wallet, await elsewhere.getAddress());
    expect((await requestVerification(stack.url, again)).status).to.equal(429);
  });

  it("starts anew every minute, and tells how long that takes", () => {
    let now = 5_000;
    const count = limitWallets(1, () => now);
    const secondsToWait = () => {
      try {
        count("0x1");
      } catch (error) {
        if (error instanceof ServiceError) return error.retryAfter;
        throw error;
      }
      return 0;
    };
    const waits = [];
    for (const moment of [5_000, 5_001, 64_999, 65_000, 95_500, 200_000, 200_000]) {
      now = moment;
      waits.push(secondsToWait());
    }
    expect(waits).to.deep.equal([0, 60, 1, 0, 30, 0, 60]);
  });

  it("does not grow with the wallets that there are", () => {
    const count = limitWallets(1, () => 0);
    for (let i = 0; i < 100_001; i++) count(String(i));
    expect(() => count("100000")).to.throw(ServiceError);
    expect(() => count("0"), "the oldest was forgotten").not.to.throw();
  });

  it("is none at 0", () => {
    const count = limitWallets(0);
    for (let i = 0; i < 1_000; i++) count("0x1");
  });
});
