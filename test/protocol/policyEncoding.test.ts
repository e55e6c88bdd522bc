import { expect } from "chai";
import { AbiCoder, concat, dataLength, dataSlice, toBeHex } from "ethers";
import { decodePolicy, encodePolicy, maxEncodedBytes } from "../../packages/protocol/policyEncoding.ts";

const abi = AbiCoder.defaultAbiCoder();
const condition = { name: "followers", op: "gt", value: "1000" };
const policy = { provider: "microblog", conditions: [condition] };
const good = encodePolicy(policy);
const word = (value: bigint | number) => toBeHex(value, 32);

function largestPolicy() {
  const longest = "a".repeat(256);
  const conditions = Array.from({ length: 32 }, () => ({ name: longest, op: longest, value: longest }));
  return { provider: longest, conditions };
}

describe("encodePolicy", () => {
  const text = (length: number) =>
    "aé☕𝄞"
      .repeat(length)
      .slice(0, length)
      .replace(/[\ud800-\udbff]$/, "!");
  for (const count of [0, 1, 2, 5, 32]) {
    it(`encodes a policy of ${count} conditions as any other encoder does, whatever their lengths`, () => {
      const conditions = Array.from({ length: count }, (_, i) => ({
        name: text(i),
        op: text(31 + (i % 3)),
        value: text(7 * i),
      }));
      const provider = text(32 * count);
      const tuples = conditions.map(({ name, op, value }) => [name, op, value]);
      expect(encodePolicy({ provider, conditions })).to.deep.equal({
        provider: abi.encode(["string"], [provider]),
        conditions: abi.encode(["tuple(string name, string op, string value)[]"], [tuples]),
      });
    });
  }
});

describe("decodePolicy", () => {
  it("decodes the largest policy, whose length is the limit", () => {
    const encoded = encodePolicy(largestPolicy());
    expect(dataLength(encoded.conditions)).to.equal(maxEncodedBytes);
    expect(decodePolicy(encoded)).to.deep.equal({ policy: largestPolicy() });
  });

  it("keeps every character of a policy's texts, a leading byte order mark too", () => {
    const odd = { provider: "\ufeffmicroblog\0", conditions: [{ ...condition, value: "☕" }] };
    expect(decodePolicy(encodePolicy(odd))).to.deep.equal({ policy: odd });
  });

  const rest = dataSlice(good.provider, 32);
  const odd = { problem: "The policy is not canonically ABI-encoded.", rule: "policy-not-canonical" };
  const large = (problem: string) => ({ problem: `The policy ${problem}.`, rule: "policy-too-large" });
  for (const [name, change, found] of [
    [
      "too many conditions",
      encodePolicy({ ...policy, conditions: Array(33).fill(condition) }),
      large("has 33 conditions; at most 32 are served"),
    ],
    [
      "a long provider",
      encodePolicy({ ...policy, provider: "a".repeat(257) }),
      large("has a string of 257 bytes; at most 256 are served"),
    ],
    ["bytes after the end", { provider: concat([good.provider, "0x00"]) }, odd],
    ["a gap before the string", { provider: concat([word(64), word(0), rest]) }, odd],
    ["dirty padding", { provider: `${good.provider.slice(0, -2)}01` }, odd],
    ["a padding that is cut short", { provider: good.provider.slice(0, -2) }, odd],
  ] as const) {
    it(`says that a policy has ${name}`, () => {
      expect(decodePolicy({ ...good, ...change })).to.deep.equal(found);
    });
  }

  for (const [name, change] of [
    ["nothing", { provider: "0x" }],
    ["one word", { provider: word(32) }],
    ["a length beyond the end", { provider: concat([word(32), word(33), dataSlice(rest, 32)]) }],
    ["a long length beyond the end", { provider: concat([word(32), word(300), `0x${"61".repeat(299)}`]) }],
    ["an offset beyond the end", { provider: concat([word(2n ** 255n), rest]) }],
    ["an array longer than the answer", { conditions: concat([word(32), word(2n ** 40n)]) }],
    ["a number", { conditions: abi.encode(["uint256"], [7]) }],
    ["bytes that are not UTF-8", { provider: abi.encode(["bytes"], ["0xc328"]) }],
    ["an unpaired surrogate", { provider: abi.encode(["bytes"], ["0xeda080"]) }],
  ] as const) {
    it(`cannot decode ${name}`, () => {
      expect(decodePolicy({ ...good, ...change })).to.equal(undefined);
    });
  }

  it("judges what follows a policy in a long answer by its size alone", () => {
    const conditions = concat([good.conditions, `0x${"00".repeat(100_000)}`]);
    const sizes = { provider: dataLength(good.provider), conditions: dataLength(conditions) };
    const kept = { ...good, conditions: dataSlice(conditions, 0, maxEncodedBytes) };
    expect(decodePolicy(kept, sizes)).to.deep.equal(odd);
    for (const offset of [maxEncodedBytes - 31, 90_000]) {
      const beyond = concat([word(offset), dataSlice(kept.conditions, 32)]);
      const decoded = decodePolicy({ ...kept, conditions: beyond }, sizes);
      expect(decoded).to.deep.equal(large("is larger than any that is served"));
    }
    const outside = concat([word(200_000), dataSlice(kept.conditions, 32)]);
    expect(decodePolicy({ ...kept, conditions: outside }, sizes)).to.equal(undefined);
  });

  it("spends no more on a policy with overlapping elements than on the largest policy", () => {
    // Every element is the same tuple, and its three strings are the same long one: 96 times 30,000 bytes.
    const tuple = 32 * 32;
    const text = tuple + 96;
    const elements = Array.from({ length: 32 }, () => word(tuple));
    const body = concat([word(32), word(32), ...elements, word(96), word(96), word(96), word(30_000)]);
    const conditions = concat([body, `0x${"61".repeat(30_016)}`]);
    expect(dataLength(body)).to.equal(64 + text + 32);
    expect(decodePolicy({ ...good, conditions })).to.deep.equal(
      large("has a string of 30000 bytes; at most 256 are served"),
    );
  });
});
