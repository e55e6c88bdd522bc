import { expect } from "chai";
import { getBytes } from "ethers";
import { composeVerification } from "../../protocol/composeVerification.ts";
import { encodePolicy } from "../../protocol/policyEncoding.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { hashVerification, verificationDomain } from "../../protocol/verification.ts";
import { readVectors } from "../fixtures/protocol/vectors.ts";

interface Vector {
  readonly name: string;
  readonly identityKey: string;
  readonly pseudonym: string;
  readonly chainId: number;
  readonly consumer: string;
  readonly identityHash: string;
}

const vectors = readVectors<Vector[]>("identity-hash.json");

describe("composeVerification", () => {
  const encoded = encodePolicy({
    provider: "microblog",
    conditions: [{ name: "followers", op: "gt", value: "1000" }],
  });
  const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const user = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  const expiration = 1_900_000_000;

  for (const vector of vectors) {
    const { chainId, consumer, pseudonym, identityHash } = vector;
    it(`has the identity of the committed vector, for chain, consumer and registry: ${vector.name}`, () => {
      const { verification, digest } = composeVerification({
        chainId,
        registry,
        consumer,
        user,
        pseudonym,
        identityKey: getBytes(vector.identityKey),
        encoded,
        expiration,
      });
      const policy = policyHash({ chainId, consumer, encoded });
      expect(verification).to.deep.equal({ user, identityHash, policyHash: policy, expiration });
      expect(digest).to.equal(hashVerification(verificationDomain({ chainId, registry }), verification));
    });
  }
});
