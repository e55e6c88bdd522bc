import { expect } from "chai";
import { recoverAddress } from "ethers";
import type { Hex } from "../../packages/protocol/hex.ts";
import { hashVerification } from "../../packages/protocol/protocolHashes.ts";
import { verificationDomain } from "../../packages/protocol/verification.ts";
import { privateKeySource } from "../../signer/internal/keys/openKeySource.ts";
import { readVectors } from "../fixtures/protocol/vectors.ts";
import { openTestCurve } from "../fixtures/signer/curves.ts";

interface Vector {
  readonly name: string;
  readonly chainId: number;
  readonly registry: string;
  readonly user: string;
  readonly identityHash: Hex;
  readonly policyHash: Hex;
  readonly expiration: number;
  readonly digest: string;
  readonly signingKey: string;
  readonly signer: string;
  readonly signature: string;
}

const vectors = readVectors<Vector[]>("verification.json");

describe("hashVerification", () => {
  for (const vector of vectors) {
    it(`gives the committed vector: ${vector.name}`, async () => {
      expect(hashVerification(verificationDomain(vector), vector)).to.equal(vector.digest);
      const source = privateKeySource(
        vector.signingKey,
        (await openTestCurve()).curve,
        "IDENTITY_SIGNING_KEY",
      );
      expect(source.address).to.equal(vector.signer);
      expect(await source.sign(vector.digest)).to.equal(vector.signature);
      expect(recoverAddress(vector.digest, vector.signature)).to.equal(vector.signer);
    });
  }

  it("refuses to hash a verification with values that EIP-712's types have no room for", () => {
    const [vector] = vectors;
    if (vector === undefined) return expect.fail("There is no vector.");
    const hash = (change: object) => hashVerification(verificationDomain(vector), { ...vector, ...change });
    expect(hash({ expiration: 2 ** 40 - 1 })).to.match(/^0x[0-9a-f]{64}$/);
    expect(hash({ user: vector.user.toLowerCase() })).to.equal(vector.digest);
    for (const expiration of [2 ** 40, -1]) {
      expect(() => hash({ expiration })).to.throw(RangeError, `${expiration} is no uint40.`);
    }
    for (const expiration of [1.5, Number.NaN]) expect(() => hash({ expiration })).to.throw(RangeError);
    for (const user of ["", vector.user.slice(2), `${vector.user}00`, `0x${"zz".repeat(20)}`]) {
      expect(() => hash({ user }), user).to.throw(TypeError, `${JSON.stringify(user)} is no address.`);
    }
    for (const bytes of [
      "0x",
      vector.policyHash.slice(2),
      `0${vector.policyHash}`,
      `${vector.policyHash}00`,
      `0x${"zz".repeat(32)}`,
    ]) {
      for (const change of [{ policyHash: bytes }, { identityHash: bytes }]) {
        expect(() => hash(change), bytes).to.throw(TypeError, "Expected 32 bytes of hex with 0x.");
      }
    }
  });

  it("hashes a verification differently for each registry and chain, whichever came first", () => {
    const [vector] = vectors;
    if (vector === undefined) return expect.fail("There is no vector.");
    const domain = verificationDomain(vector);
    expect(hashVerification(domain, vector)).to.equal(vector.digest);
    const other = verificationDomain({ ...vector, chainId: vector.chainId + 1 });
    expect(hashVerification(other, vector)).not.to.equal(vector.digest);
    expect(hashVerification(domain, vector)).to.equal(vector.digest);
  });
});
