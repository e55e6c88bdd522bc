import { expect } from "chai";
import { toBeHex } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { privateKeySource } from "../../../signer/internal/keys/privateKey.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";

describe("A private key", () => {
  it("is refused, and not shown, if it is not on the curve", async () => {
    const { curve } = await openTestCurve();
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    for (const key of [0n, order, 2n ** 256n - 1n].map((value) => toBeHex(value, 32))) {
      expect(() => privateKeySource(key, curve, "IDENTITY_NEXT_SIGNING_KEY"))
        .to.throw(InvalidInputError, "The signing key is not valid: IDENTITY_NEXT_SIGNING_KEY must be")
        .that.does.not.have.property("cause");
    }
    expect(privateKeySource(toBeHex(1, 32), curve).address).to.equal(
      "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    );
  });
});
