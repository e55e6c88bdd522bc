import { expect } from "chai";
import { Wallet } from "ethers";
import { createLimiter } from "../../../signer/internal/limits/limiter.ts";
import { ServiceError } from "../../../signer/internal/limits/serviceError.ts";
import { limitWallets } from "../../../signer/internal/service/walletLimit.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { requestVerification, signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("The limit for each wallet", () => {
  it("counts only what the wallet signed", async () => {
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
    const metrics = await (await fetch(`${stack.url}/metrics`)).text();
    expect(metrics).to.include('identity_rate_limited_total{limit="wallet"} 1\n');
    const other = await stack.addWallet();
    expect((await requestVerification(stack.url, await signedRequest(other, address))).status).to.equal(200);
  });

  it("is one for each contract", async () => {
    const stack = await startStack({ IDENTITY_WALLET_RATE_LIMIT: "2" });
    const { wallet, request } = await stack.participate();
    stopTime();
    for (const status of [200, 200, 429, 429, 429]) expect((await request()).status).to.equal(status);
    const limit = "requests a minute of one wallet";
    expect((await request()).body.detail).to.equal(`The limit is 2 ${limit} for one contract.`);
    const codes = [];
    let said: unknown;
    for (let i = 0; i < 5; i++) {
      const elsewhere = await (await stack.deployConsumer()).getAddress();
      for (let j = 0; j < 2; j++) {
        const { status, body } = await requestVerification(stack.url, await signedRequest(wallet, elsewhere));
        codes.push(status);
        said = body.detail;
      }
    }
    expect(said).to.equal(`The limit is 10 ${limit}.`);
    // Ten in all: what was refused at the first contract is not counted again.
    expect(codes).to.deep.equal([...Array(8).fill(200), 429, 429]);
    const { status, body } = await request();
    expect(status).to.equal(429);
    expect(body.code).to.equal("rate_limited");
  });

  it("starts anew every minute, and tells how long that takes", async () => {
    stopTime();
    const count = limitWallets(1, (_name, limit) => createLimiter(limit));
    const secondsToWait = () => {
      try {
        count("0x1", "0x2");
      } catch (error) {
        if (error instanceof ServiceError) return error.retryAfter;
        throw error;
      }
      return 0;
    };
    const waits = [0, 1, 59_998, 1, 30_500, 104_500, 0].map((milliseconds) => {
      passTime(milliseconds);
      return secondsToWait();
    });
    expect(waits).to.deep.equal([0, 60, 1, 0, 30, 0, 45]);
  });

  it("is off at 0", () => {
    const count = limitWallets(0, (_name, limit) => createLimiter(limit));
    for (let i = 0; i < 1_000; i++) expect(() => count("0x1", "0x2")).not.to.throw();
  });
});
