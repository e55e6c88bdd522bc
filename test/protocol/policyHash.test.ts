import { expect } from "chai";
import { AbiCoder, keccak256 } from "ethers";
import type { Condition } from "../../protocol/policy.ts";
import { decodePolicy, encodePolicy } from "../../protocol/policyEncoding.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { readVectors } from "../fixtures/vectors.ts";

interface Vector {
  readonly name: string;
  readonly chainId: number;
  readonly consumer: string;
  readonly provider: string;
  readonly conditions: Condition[];
  readonly encodedProvider: string;
  readonly encodedConditions: string;
  readonly policyHash: string;
}

const vectors = readVectors<Vector[]>("policy-hash.json");

describe("policyHash", () => {
  for (const vector of vectors) {
    const { chainId, consumer, provider, conditions } = vector;
    const encoded = { provider: vector.encodedProvider, conditions: vector.encodedConditions };

    it(`gives the committed vector: ${vector.name}`, () => {
      expect(encodePolicy(vector)).to.deep.equal(encoded);
      expect(decodePolicy(encoded)).to.deep.equal({ policy: { provider, conditions } });
      expect(policyHash({ chainId, consumer, encoded })).to.equal(vector.policyHash);
    });

    it(`is the hash of the four values as abi.encode has them: ${vector.name}`, () => {
      const data = AbiCoder.defaultAbiCoder().encode(
        ["uint256", "address", "string", "tuple(string name, string op, string value)[]"],
        [chainId, consumer, provider, conditions],
      );
      expect(keccak256(data)).to.equal(vector.policyHash);
    });
  }

  it("differs in every committed vector", () => {
    expect(new Set(vectors.map((vector) => vector.policyHash)).size).to.equal(vectors.length);
  });
});
