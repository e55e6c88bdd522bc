import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { getAddress, id, toBeHex } from "ethers";
import { checksumAddress, hasValidCasing, isAddress, parseAddress } from "../../packages/protocol/address.ts";
import { InvalidInputError } from "../../packages/protocol/errors.ts";

/** The examples of EIP-55. */
const examples = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

describe("An address", () => {
  it("gives an address the checksum of EIP-55", () => {
    for (const example of examples) {
      expect(checksumAddress(example.toLowerCase())).to.equal(example);
      expect(checksumAddress(example)).to.equal(getAddress(example.toLowerCase()));
      expect(hasValidCasing(example)).to.equal(true);
      expect(hasValidCasing(example.toLowerCase())).to.equal(true);
      expect(hasValidCasing(`0x${example.slice(2).toUpperCase()}`)).to.equal(true);
    }
    expect(hasValidCasing("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD")).to.equal(false);
  });

  it("gives each of thousands of addresses its own checksum, also the second time", () => {
    const addresses = Array.from({ length: 1_100 }, (_, i) => toBeHex(BigInt(id(String(i))) >> 96n, 20));
    for (const address of [...addresses, ...addresses.toReversed()]) {
      expect(checksumAddress(address)).to.equal(getAddress(address));
    }
  });

  it("keeps no address in memory, however many strangers name", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let i = 0; i < 6_000; i++) checksumAddress(toBeHex(i, 20));
    expect(heap() - before).to.be.below(4_000_000);
  });

  it("takes 0x and 40 hex digits as an address, and nothing else", () => {
    const wanted = "must be an address (0x and 40 hex digits)";
    const refused = (text: string | undefined, why: string) =>
      expect(() => parseAddress("--consumer", text)).to.throw(InvalidInputError, `--consumer ${why}.`);
    for (const text of ["0x", `${examples[0]?.slice(2)}`, `${examples[0]}0`, `0X${"0".repeat(40)}`, "0xg"]) {
      expect(isAddress(text), text).to.equal(false);
      refused(text, `${wanted}, got "${text}"`);
    }
    for (const text of ["", undefined]) refused(text, `is missing; it ${wanted}`);
    const [address = ""] = examples;
    const miscast = address.replace("E", "e");
    refused(miscast, `has a wrong EIP-55 checksum: ${miscast}. Copy the address again`);
    expect(parseAddress("--consumer", address.toLowerCase())).to.equal(address);
  });
});
