import { createHmac, hkdfSync } from "node:crypto";
import { expect } from "chai";
import { getBytes, hexlify } from "ethers";
import { deriveKey } from "../../packages/protocol/keys.ts";
import { identityHash, pseudonym } from "../../packages/protocol/protocolHashes.ts";
import { readVectors } from "../fixtures/protocol/vectors.ts";

interface Vector {
  readonly name: string;
  readonly masterSecret: string;
  readonly accountKey: string;
  readonly identityKey: string;
  readonly provider: string;
  readonly accountId: string;
  readonly pseudonym: string;
  readonly chainId: number;
  readonly consumer: string;
  readonly identityHash: string;
}

const vectors = readVectors<Vector[]>("identity-hash.json");

describe("identityHash", () => {
  for (const vector of vectors) {
    it(`is the design's formula, written out by hand: ${vector.name}`, () => {
      const key = (purpose: string) =>
        Buffer.from(
          hkdfSync("sha256", getBytes(vector.masterSecret), "", `hardhat-identity/${purpose}/v1`, 32),
        );
      expect(hexlify(deriveKey(getBytes(vector.masterSecret), "account"))).to.equal(vector.accountKey);
      expect(hexlify(deriveKey(getBytes(vector.masterSecret), "identity"))).to.equal(vector.identityKey);
      const provider = abiString(vector.provider);
      const account = Buffer.concat([
        word(64),
        word(64 + provider.length),
        provider,
        abiString(vector.accountId),
      ]);
      const accountHash = createHmac("sha256", key("account")).update(account).digest();
      expect(hexlify(accountHash)).to.equal(vector.pseudonym);
      expect(pseudonym({ ...vector, accountKey: key("account") })).to.equal(vector.pseudonym);
      const address = Buffer.concat([Buffer.alloc(12), getBytes(vector.consumer)]);
      const identity = Buffer.concat([word(vector.chainId), address, accountHash]);
      const hash = createHmac("sha256", key("identity")).update(identity).digest();
      expect(hexlify(hash)).to.equal(vector.identityHash);
      expect(identityHash({ ...vector, identityKey: key("identity") })).to.equal(vector.identityHash);
    });
  }

  it("gives another identity hash to another consumer, chain, account or master secret", () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error("There is no vector.");
    const hashes = new Set<string>();
    const another = { consumer: `0x${"12".repeat(20)}`, chainId: vector.chainId + 1, accountId: "another" };
    for (const masterSecret of [vector.masterSecret, `0x${"5e".repeat(32)}`].map((hex) => getBytes(hex))) {
      const keys = {
        accountKey: deriveKey(masterSecret, "account"),
        identityKey: deriveKey(masterSecret, "identity"),
      };
      for (const { accountId } of [vector, another]) {
        const account = pseudonym({ ...keys, provider: vector.provider, accountId });
        for (const { consumer } of [vector, another]) {
          for (const { chainId } of [vector, another]) {
            hashes.add(identityHash({ ...keys, chainId, consumer, pseudonym: account }));
          }
        }
      }
    }
    expect(hashes.size).to.equal(2 ** 4);
  });

  it("refuses an account id with half of a surrogate pair, which UTF-8 would make the same as another", () => {
    const accountKey = new Uint8Array(32);
    for (const accountId of ["\ud83d", "1\udc00"]) {
      expect(() => pseudonym({ accountKey, provider: "microblog", accountId })).to.throw(TypeError);
    }
    expect(pseudonym({ accountKey, provider: "microblog", accountId: "😀" })).to.match(/^0x[0-9a-f]{64}$/);
  });
});

function word(value: number): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}

function abiString(text: string): Buffer {
  const utf8 = Buffer.from(text, "utf8");
  return Buffer.concat([word(utf8.length), utf8, Buffer.alloc((32 - (utf8.length % 32)) % 32)]);
}
