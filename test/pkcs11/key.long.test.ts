import { expect } from "chai";
import { hexlify, id, randomBytes, recoverAddress } from "ethers";
import { KeyUnavailableError } from "../../signer/internal/keys/keySource.ts";
import { openKeySource } from "../../signer/internal/keys/openKeySource.ts";
import {
  needSoftHsm,
  serveToken,
  sharedToken,
  type Token,
  untilItSigns,
} from "../fixtures/pkcs11/softHsm.ts";
import { rejection } from "../fixtures/rejection.ts";
import { openTestCurve } from "../fixtures/signer/curves.ts";

describe("A key on a token", () => {
  let token: Token;

  before(async function () {
    needSoftHsm(this);
    token = await sharedToken();
  });

  it("of a network token whose server dies, or does not answer, signs again once it is back", async () => {
    const server = await serveToken(token);
    await server.start();
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    const source = await openKeySource(
      { kind: "pkcs11", uri: server.uri(label) },
      "IDENTITY_SIGNING_KEY",
      (await openTestCurve()).curve,
    );
    const signed = await Promise.all(Array.from({ length: 100 }, (_, each) => source.sign(id(`${each}`))));
    expect(recoverAddress(id("99"), signed[99] ?? "0x")).to.equal(source.address);

    await server.kill();
    expect(await rejection(source.sign(id("dead")))).to.be.instanceOf(KeyUnavailableError);
    expect(await rejection(source.check())).to.be.instanceOf(KeyUnavailableError);
    await server.start();
    await untilItSigns(source);

    server.freeze();
    try {
      const error = await rejection(source.sign(id("frozen")));
      expect(error).to.be.instanceOf(KeyUnavailableError);
      expect(error.message).to.include("does not answer");
      // Nobody waits for it any more.
      expect(
        await Promise.all([1, 2, 3].map((each) => rejection(source.sign(id(`${each}`))))),
      ).to.have.length(3);
    } finally {
      server.thaw();
    }
    await untilItSigns(source);
  });
});
