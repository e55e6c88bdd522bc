import { expect } from "chai";
import { type Block, getStorageAt, waitForReceipt } from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { nodes } from "../../fixtures/chain/nodes.ts";
import { expectRefusal, identityError } from "../../fixtures/client/identityError.ts";

const zero = `0x${"00".repeat(32)}`;

describe("getStorageAt", () => {
  for (const [kind, start] of Object.entries(nodes)) {
    describe(`on ${kind}`, () => {
      let node: Eip1193Connection;

      before(async function () {
        this.timeout(30_000);
        node = await start(this);
      });

      /** A contract with a value at slot 5: 7 in the latest block, 42 in a transaction that is not mined. */
      async function fixture() {
        const ask = (method: string, ...params: unknown[]) => node.request({ method, params });
        const [from] = (await ask("eth_accounts")) as string[];
        await ask("evm_setAutomine", true);
        // Stores the first word of its call data at slot 5.
        const data = "0x66600035600555005f5260076019f3";
        const mined = async (transaction: object) => {
          const hash = String(await ask("eth_sendTransaction", { from, ...transaction }));
          return waitForReceipt(node, { hash, interval: 10 });
        };
        const { contractAddress: to } = { contractAddress: "", ...(await mined({ data })) };
        await mined({ to, data: word(7) });
        await ask("evm_setAutomine", false);
        await ask("eth_sendTransaction", { from, to, data: word(42), gas: "0x186a0" });
        return { connection: node, ask, address: to };
      }

      it("reads the state of every tag, and at `pending` that of pending transactions", async () => {
        const { connection, ask, address } = await fixture();
        const read = (block: Block) => getStorageAt(connection, { address, position: "0x5", block });
        const numberOf = async (block: Block) =>
          ((await ask("eth_getBlockByNumber", block, false)) as { number: Block }).number;

        expect(await read("latest")).to.equal(word(7));
        expect(await read("pending")).to.equal(word(42));
        expect(await read("earliest")).to.equal(zero);
        for (const tag of ["safe", "finalized"] as const) {
          expect(await read(tag)).to.equal(await read(await numberOf(tag)), tag);
        }
      });

      it("reads the state of a block by its number", async () => {
        const { connection, ask, address } = await fixture();
        const latest = Number(await ask("eth_blockNumber"));
        const read = (number: number) =>
          getStorageAt(connection, { address, position: "0x5", block: `0x${number.toString(16)}` });

        expect(await read(latest)).to.equal(word(7));
        expect(await read(latest - 1)).to.equal(zero);
      });
    });
  }

  it("sends the position padded to 32 bytes and the block in lower case, which every node takes", async () => {
    const asked: unknown[] = [];
    const connection: Eip1193Connection = {
      async request(call) {
        asked.push(call);
        return zero;
      },
    };
    const address = `0x${"Ab".repeat(20)}`;
    for (const block of ["0xFf", "0x0", "0x1FFFFFFFFFFFFFFF"] as const) {
      await getStorageAt(connection, { address, position: "0xAbC", block });
      const params = [address, word(0xabc), block.toLowerCase()];
      expect(asked.pop()).to.deep.equal({ method: "eth_getStorageAt", params });
    }
  });

  describe("before anything is sent", () => {
    const good = { address: `0x${"12".repeat(20)}`, position: "0x0", block: "latest" };
    const wanted: Record<string, string> = {
      address: "20 bytes as hex after 0x",
      position: "a hex integer of up to 32 bytes, such as 0x5",
      block: "a hex block number such as 0x1b4, or one of latest, pending, safe, finalized, earliest",
    };
    const bad: [string, unknown, got?: string][] = [
      ["address", undefined, "nothing"],
      ["address", [good.address], "an array"],
      ["address", "12".repeat(20)],
      ["address", `0x${"12".repeat(19)}`],
      ["address", `0x${"12".repeat(21)}`],
      ["address", `0X${"12".repeat(20)}`],
      ["address", "alice.eth"],
      // Such as `import * as deployed`, which has no words of its own.
      ["address", Object.create(null), "an object"],
      ["position", undefined, "nothing"],
      ["position", 5, "5"],
      ["position", ["0x5"], "an array"],
      ["position", "5"],
      ["position", "0x"],
      ["position", "0X0"],
      ["position", "0x0g"],
      ["position", " 0x0"],
      ["position", "0x0\n"],
      ["position", "-0x1"],
      ["position", `0x${"0".repeat(65)}`],
      ["position", `0x${"0".repeat(79)}`, `"0x${"0".repeat(78)}…"`],
      ["block", undefined, "nothing"],
      ["block", "1"],
      ["block", "0x"],
      ["block", "0x01"],
      ["block", "0x1ffffffffffffffff"],
      ["block", " 0x1"],
      ["block", "Latest"],
      ["block", "newest"],
      ["block", { blockNumber: "0x1" }, "an object"],
    ];

    for (const [argument, value, got = JSON.stringify(value)] of bad) {
      it(`refuses ${JSON.stringify(value)} as ${argument}`, async () => {
        let sent = 0;
        const connection: Eip1193Connection = { request: async () => ++sent };
        // The caller may not use TypeScript.
        const options = { ...good, [argument]: value } as Parameters<typeof getStorageAt>[1];
        await expectRefusal(
          () => getStorageAt(connection, options),
          argument,
          `${wanted[argument]}, got ${got}`,
        );
        expect(sent).to.equal(0);
      });
    }
  });

  for (const [answer, value] of [
    ["0x", 0],
    ["0x0", 0],
    ["0x1", 1],
    ["0x01", 1],
    [word(0xabc), 0xabc],
  ] as const) {
    it(`pads ${answer}, as some nodes write a slot, to 32 bytes`, async () => {
      const connection: Eip1193Connection = { request: async () => answer };
      const where = { address: `0x${"12".repeat(20)}`, position: "0x0", block: "latest" } as const;
      expect(await getStorageAt(connection, where)).to.equal(word(value));
    });
  }

  it("reads nothing of another chain than the given one, even if the wallet changes meanwhile", async () => {
    const where = {
      address: `0x${"12".repeat(20)}`,
      position: "0x0",
      block: "latest",
      chainId: 84532,
    } as const;
    for (const chains of [["0x1"], ["0x14a34", "0x1"]]) {
      const rest = [...chains];
      const connection: Eip1193Connection = {
        request: async ({ method }) => (method === "eth_chainId" ? rest.shift() : zero),
      };
      const error = await identityError(() => getStorageAt(connection, where));
      expect(error).to.include({ code: "client_wrong_chain" });
    }
  });

  for (const answer of ["", "0", zero.slice(2), `${zero}00`, `${zero}0`, "0x0g", "0X1", null, 0, [zero]]) {
    it(`does not accept ${JSON.stringify(answer)} as the 32 bytes of a slot`, async () => {
      const connection: Eip1193Connection = { request: async () => answer };
      const error = await identityError(() =>
        getStorageAt(connection, { address: `0x${"12".repeat(20)}`, position: "0x0", block: "latest" }),
      );
      const message = "The answer to eth_getStorageAt cannot be read.";
      expect(error).to.include({ code: "client_invalid_response", message });
    });
  }
});

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
