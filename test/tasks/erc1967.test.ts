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
