import { expect } from "chai";
import { Wallet } from "ethers";
import { limitAlone } from "../../signer/internal/limits/limiter.ts";
import { ServiceError } from "../../signer/internal/serviceError.ts";
import { limitWallets } from "../../signer/internal/walletLimit.ts";
import { rejection } from "../fixtures/rejection.ts";
import { requestVerification, signedRequest, signInMessage } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";

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

  it("starts anew every minute, and tells how long that takes", async () => {
    let now = 0;
    const count = limitWallets(1, (_name, limit) => limitAlone(limit, () => now));
    const secondsToWait = async () => {
      try {
        await count("0x1");
      } catch (error) {
        if (error instanceof ServiceError) return error.retryAfter;
        throw error;
      }
      return 0;
    };
    const waits = [];
    for (const moment of [0, 1, 59_999, 60_000, 90_500, 195_000, 195_000]) {
      now = moment;
      waits.push(await secondsToWait());
    }
    expect(waits).to.deep.equal([0, 60, 1, 0, 30, 0, 45]);
  });

  it("does not grow with the wallets that there are", async () => {
    const count = limitWallets(1, (_name, limit) => limitAlone(limit, () => 0));
    for (let i = 0; i < 100_001; i++) await count(String(i));
    expect(await rejection(count("100000"))).to.be.instanceOf(ServiceError);
    await count("0");
  });

  it("is none at 0", async () => {
    const count = limitWallets(0, (_name, limit) => limitAlone(limit));
    for (let i = 0; i < 1_000; i++) await count("0x1");
  });
});
