import { expect } from "chai";
import { getAddress, zeroPadValue } from "ethers";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { findImplementation, readRuns, slots } from "../../tasks/internal/consumer/erc1967.ts";

const proxy = `0x${"99".repeat(20)}`;
const [one, two] = [getAddress(`0x00${"ab".repeat(19)}`), getAddress(`0x${"cd".repeat(20)}`)];

/** A node with these words in the slots of any contract, the code of some, and what a beacon answers. */
function nodeWith(
  words: Partial<typeof slots>,
  codes: Record<string, string> = {},
  beacon = "0x",
): Eip1193Connection {
  return {
    async request({ method, params }) {
      const [subject, position] = params as [string, string];
      if (method === "eth_getStorageAt") {
        const [name] = Object.entries(slots).find(([, slot]) => slot === position) ?? [];
        return words[name as keyof typeof slots] ?? `0x${"0".repeat(64)}`;
      }
      return method === "eth_getCode" ? (codes[subject] ?? "0x") : beacon;
    },
  };
}

describe("The contract that a proxy of ERC-1967 runs", () => {
  for (const [how, word, implementation] of [
    ["in full", zeroPadValue(one, 32), one],
    ["without the zeros before it", `0x${"ab".repeat(19)}`, one],
    ["as hardly anything", "0x12", `0x${"12".padStart(40, "0")}`],
  ] as const) {
    it(`is read from a word that the node writes ${how}`, async () => {
      expect(await readRuns(nodeWith({ implementation: word }), proxy)).to.deep.equal({ implementation });
    });
  }

  it("is nothing where both slots are empty, however the node writes that", async () => {
    for (const nothing of ["0x", "0x0", `0x${"0".repeat(64)}`]) {
      const node = nodeWith({ implementation: nothing, beacon: nothing });
      expect(await readRuns(node, proxy)).to.equal(undefined);
      expect(await findImplementation(node, proxy)).to.equal(proxy);
    }
  });

  it("is what its beacon names, and the implementation where it has both", async () => {
    const beacon = zeroPadValue(two, 32);
    const answered = zeroPadValue(one, 32);
    expect(await findImplementation(nodeWith({ beacon }, {}, answered), proxy)).to.equal(one);
    expect(
      await findImplementation(nodeWith({ beacon, implementation: answered }, {}, beacon), proxy),
    ).to.equal(one);
  });

  it("is the original of a minimal proxy that its beacon names", async () => {
    const clone = `0x363d3d373d3d3d363d73${two.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`;
    const node = nodeWith({ beacon: zeroPadValue(two, 32) }, { [one]: clone }, zeroPadValue(one, 32));
    expect(await findImplementation(node, proxy)).to.equal(two);
  });
});

describe("The contract that a minimal proxy runs", () => {
  const original = two.slice(2).toLowerCase();
  const ends = "5af43d3d93803e603557fd5bf3";
  const received = `57343d527f${"9e".repeat(32)}`;
  const some = "000000000000000000000000000000000000000000000000000000000000cafe";
  for (const [what, code] of [
    ["of ERC-1167", `363d3d373d3d3d363d73${original}5af43d82803e903d91602b57fd5bf3`],
    [
      "of ERC-1167 with arguments behind it",
      `363d3d373d3d3d363d73${original}5af43d82803e903d91602b57fd5bf3${some}`,
    ],
    [
      "that appends its arguments to each call",
      `3d3d3d3d363d3d3761003f603736393661003f013d73${original}${ends}${some}`,
    ],
    [
      "that does so in an older form",
      `363d3d37610022603836393d3d3d36610022013d73${original}5af43d82803e903d91603657fd5bf3`,
    ],
    ["that does so with few arguments", `3d3d3d3d363d3d37605160353639366051013d73${original}${ends}${some}`],
    ["that logs what it is paid", `36602c${received}593da1005b3d3d3d3d363d3d37363d73${original}${ends}`],
    [
      "that logs, and appends",
      `36602c${received}593da1005b363d3d373d3d3d3d610016806062363936013d73${original}${ends}`,
    ],
    [
      "that logs, and appends, in another form",
      `36602f${received}60203da13d3df35b3d3d3d3d363d3d3761003f606736393661003f013d73${original}${ends}`,
    ],
    ["of Vyper", `366000600037611000600036600073${original}5af4602c57600080fd5b6110006000f3`],
  ]) {
    it(`is found in the code of one ${what}`, async () => {
      expect(await findImplementation(nodeWith({}, { [proxy]: `0x${code}` }), proxy)).to.equal(two);
    });
  }

  it("is no address that another contract's code has", async () => {
    for (const start of ["6080604052", "36602c57", "363d3d37325b", "5f3560e01c"]) {
      const code = `0x${start}73${original}5af4${some}`;
      expect(await findImplementation(nodeWith({}, { [proxy]: code }), proxy), start).to.equal(proxy);
    }
  });
});
