import { expect } from "chai";
import { Wallet } from "ethers";
import { stopTime } from "../../fixtures/passTime.ts";
import { readMetric } from "../../fixtures/signer/signer.ts";
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
    expect(await readMetric(stack.url, 'identity_rate_limited_total{limit="wallet"}')).to.equal(1);
    const other = await stack.addWallet();
    expect((await requestVerification(stack.url, await signedRequest(other, address))).status).to.equal(200);
  });

  it("is one for each contract", async () => {
    // Before the start, at which the first minute begins.
    stopTime();
    const stack = await startStack({ IDENTITY_WALLET_RATE_LIMIT: "2" });
    const { wallet, request } = await stack.participate();
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
    const { status, body, response } = await request();
    expect(status).to.equal(429);
    expect(body.code).to.equal("rate_limited");
    expect(response.headers.get("retry-after")).to.equal("60");
  });
});
