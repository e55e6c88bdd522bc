import { expect } from "chai";
import { portableHashes } from "../../packages/protocol/hashes.ts";
import type { Hex } from "../../packages/protocol/hex.ts";
import type { Condition } from "../../packages/protocol/policy.ts";
import { decodePolicy, encodePolicy } from "../../packages/protocol/policyEncoding.ts";
import { policyHash, protocolHashes } from "../../packages/protocol/protocolHashes.ts";
import { readVectors } from "../fixtures/protocol/vectors.ts";

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
  }
});

describe("policyHasher", () => {
  it("gives each vector's policy hash, and hashes once what was read of one consumer", () => {
    for (const { chainId, consumer, encodedProvider, encodedConditions, policyHash: wanted } of vectors) {
      let hashed = 0;
      const keccak256 = (bytes: Hex) => {
        hashed++;
        return portableHashes.keccak256(bytes);
      };
      const { policyHasher } = protocolHashes({ ...portableHashes, keccak256 });
      hashed = 0;
      const hash = policyHasher(chainId);
      const read = () => ({ provider: encodedProvider, conditions: encodedConditions });
      const encoded = read();
      expect([hash(consumer, encoded), hash(consumer, encoded)]).to.deep.equal([wanted, wanted]);
      expect(hashed).to.equal(1);
      expect(hash(consumer, read())).to.equal(wanted);
      expect(hashed).to.equal(2);
      const another = "0x00000000000000000000000000000000000000A1";
      expect(hash(another, encoded)).to.equal(policyHash({ chainId, consumer: another, encoded }));
      expect(hash(consumer, encoded)).to.equal(wanted);
    }
  });
});
