import { expect } from "chai";
import { FunctionFragment, Interface, ParamType } from "ethers";
import fc from "fast-check";
import { artifacts } from "hardhat";
import { encodeCall } from "../../../client/index.ts";
import { identityError } from "../../fixtures/client/identityError.ts";

const verification = {
  identityHash: `0x${"a1".repeat(32)}`,
  expiration: 1_900_000_000,
  signature: `0x${"b2".repeat(65)}`,
};
const { identityHash, expiration, signature } = verification;
const enroll = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
const deposit = "deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)";

function byEthers(signature: string, values: unknown[]): string {
  const fragment = FunctionFragment.from(`function ${signature}`);
  return new Interface([fragment]).encodeFunctionData(fragment, values);
}

describe("encodeCall", () => {
  it("encodes a consumer's entry point from its JSON ABI", async () => {
    const { abi } = await artifacts.readArtifact("IncentiveProgram");
    const expected = new Interface(abi).encodeFunctionData("enroll", [identityHash, expiration, signature]);

    expect(encodeCall({ abi, verification })).to.equal(expected);
    expect(encodeCall({ abi, functionName: "enroll", verification })).to.equal(expected);
  });

  it("encodes an entry point from its signature, however that is written", () => {
    const expected = byEthers(enroll, [identityHash, expiration, signature]);
    for (const abi of [
      enroll,
      `function ${enroll} external returns (uint256)`,
      "enroll(bytes32 identityHash,uint40 expiration,bytes calldata signature)",
      "  enroll ( bytes32 _identityHash , uint40 expiration_ , bytes memory __signature )",
      "enroll(bytes32,uint40,bytes)",
    ]) {
      expect(encodeCall({ abi, verification }), abi).to.equal(expected);
    }
  });

  it("puts the verification into its parameters, and other arguments by name", () => {
    expect(encodeCall({ abi: deposit, verification, args: { amount: 25n } })).to.equal(
      byEthers(deposit, [25n, identityHash, expiration, signature]),
    );
    const mixed =
      "vote(bytes signature, uint8 choice, uint40 expiration, string reason, bytes32 identityHash)";
    expect(encodeCall({ abi: mixed, verification, args: { reason: "Because.", choice: 2 } })).to.equal(
      byEthers(mixed, [signature, 2, expiration, "Because.", identityHash]),
    );
  });

  it("encodes a call without a verification", () => {
    const spender = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const approve = "approve(address spender, uint256 amount)";
    expect(encodeCall({ abi: approve, args: { spender, amount: 25n } })).to.equal(
      byEthers(approve, [spender, 25n]),
    );
    expect(encodeCall({ abi: "pause()" })).to.equal(byEthers("pause()", []));
  });

  it("chooses between functions of one name by the given arguments", () => {
    const abi = JSON.parse(
      new Interface([`function ${enroll}`, `function ${deposit.replace("deposit", "enroll")}`]).formatJson(),
    );
    const args = { amount: 1n };
    expect(encodeCall({ abi, functionName: "enroll", verification }).slice(0, 10)).to.equal(
      byEthers(enroll, [identityHash, expiration, signature]).slice(0, 10),
    );
    expect(encodeCall({ abi, functionName: "enroll", verification, args }).length).to.be.above(
      encodeCall({ abi, functionName: "enroll", verification }).length,
    );
  });

  it("chooses between functions of as many arguments by their names", () => {
    const moves = ["move(address to)", "move(uint256 room)"];
    const abi = JSON.parse(new Interface(moves.map((move) => `function ${move}`)).formatJson());
    expect(encodeCall({ abi, args: { room: 7 } })).to.equal(byEthers("move(uint256 room)", [7]));
  });

  it("encodes values of any type as ethers does", () => {
    fc.assert(
      fc.property(fc.array(typed(), { maxLength: 5 }), (parameters) => {
        const types = parameters.map(({ type }) => type);
        const values = parameters.map(({ value }) => value);
        const named = `call(${types.map((type, i) => `${type} p${i}`).join(", ")})`;
        const args = Object.fromEntries(values.map((value, i) => [`p${i}`, value]));
        const expected = byEthers(`call(${types.join(",")})`, values);
        expect(encodeCall({ abi: named, args })).to.equal(expected);

        const json = [{ type: "function", name: "call", inputs: types.map(toJson) }];
        expect(encodeCall({ abi: json, args })).to.equal(expected);
      }),
    );
  });

  it("accepts a struct as an object with its members' names", () => {
    const abi = "fill((address to, uint256[] amounts) order)";
    const to = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    expect(encodeCall({ abi, args: { order: { amounts: [1n, 2n], to } } })).to.equal(
      byEthers("fill((address,uint256[]))", [[to, [1n, 2n]]]),
    );
  });

  describe("names the argument that it refuses:", () => {
    const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const call = (type: string, value: unknown) => ({ abi: `f(${type} x)`, args: { x: value } });
    const refused: [string, Parameters<typeof encodeCall>[0]][] = [
      ["abi", { abi: "enroll(" }],
      ["abi", { abi: "enroll(uint256 a b)" }],
      ["abi", { abi: [] }],
      ["abi", { abi: "f(uint256)", args: {} }],
      ["abi", { abi: [{ type: "event", name: "enroll", inputs: [] }] }],
      ["abi", { abi: [{ type: "function", name: "enroll" }], functionName: "claim" }],
      [
        "functionName",
        {
          abi: [
            { type: "function", name: "a" },
            { type: "function", name: "b" },
          ],
        },
      ],
      ["abi", call("uint7", 1n)],
      ["abi", call("bytes33", `0x${"00".repeat(33)}`)],
      ["abi", call("IERC20", address)],
      ["args.x", { abi: "f(uint256 x)" }],
      ["args.y", { abi: "f(uint256 x)", args: { x: 1n, y: 2n } }],
      ["args.x", call("uint8", 256n)],
      ["args.x", call("uint8", -1)],
      ["args.x", call("int8", 128)],
      ["args.x", call("int8", -129n)],
      ["args.x", call("uint256", 1n << 256n)],
      ["args.x", call("uint256", 2 ** 53)],
      ["args.x", call("uint256", 1.5)],
      ["args.x", call("uint256", "1")],
      ["args.x", call("uint256", null)],
      ["args.x", call("bool", 1)],
      ["args.x", call("address", "0x12")],
      ["args.x", call("address", address.replace("aa3", "aA3"))],
      ["args.x", call("bytes4", "0x12")],
      ["args.x", call("bytes", "0x1")],
      ["args.x", call("bytes", "12")],
      ["args.x", call("string", 12)],
      ["args.x", call("uint256[2]", [1n])],
      ["args.x", call("uint256[]", 1n)],
      ["args.x[1]", call("uint8[]", [1, 256])],
      ["args.x", call("(uint8 a)", 1n)],
      ["args.x.a", call("(uint8 a)", {})],
      ["args.x.a[0].b", call("((bool b)[] a)", { a: [{ b: "yes" }] })],
      ["args.identityHash", { abi: enroll, verification, args: { identityHash } }],
      ["args.amount", { abi: deposit, verification }],
      ["verification.expiration", { abi: "f(bytes32 identityHash, bytes signature)", verification }],
      ["verification.identityHash", { abi: enroll, verification: { ...verification, identityHash: "0x12" } }],
      ["verification.expiration", { abi: enroll, verification: { ...verification, expiration: 2 ** 40 } }],
    ];
    for (const [argument, options] of refused) {
      it(`${argument}, of ${describeCall(options)}`, async () => {
        const error = await identityError(() => encodeCall(options));
        expect(error).to.include({ code: "INVALID_ARGUMENT", argument });
      });
    }

    it("and lists the parameters for an unknown argument", async () => {
      const claim = "claim(uint8 tier, bytes32 _identityHash, uint40 _expiration, bytes _signature)";
      for (const [options, message] of [
        [
          { abi: claim, verification, args: { level: 1 } },
          "args.level must be a parameter of claim, which takes uint8 tier, bytes32 identityHash, uint40 expiration, bytes signature.",
        ],
        [
          { abi: "pause()", verification },
          "verification.identityHash must be a parameter of pause, which takes nothing.",
        ],
        [
          { abi: "move(address, uint256)", args: { to: identityHash } },
          "args.to must be a parameter of move, which takes address, uint256.",
        ],
      ] as const) {
        expect((await identityError(() => encodeCall(options))).message).to.equal(message);
      }
    });

    it("and shows the beginning of the value", async () => {
      const message = async (value: unknown) =>
        (await identityError(() => encodeCall(call("uint8", value)))).message;
      const wanted = "args.x must be a bigint or safe integer that fits uint8, got";
      expect(await message(256n)).to.equal(`${wanted} bigint 256.`);
      expect(await message("a".repeat(88))).to.equal(`${wanted} "${"a".repeat(88)}".`);
      expect(await message("a".repeat(89))).to.equal(`${wanted} "${"a".repeat(89)}….`);
      expect(await message(undefined)).to.equal(`${wanted} nothing.`);
    });

    it("and never shows a signature", async () => {
      const short = { ...verification, signature: "0xabcdefabcde" };
      const error = await identityError(() => encodeCall({ abi: enroll, verification: short }));
      expect(error.argument).to.equal("verification.signature");
      expect(error.message).not.to.include("abcdef");
    });
  });
});

function describeCall({ abi, args }: Parameters<typeof encodeCall>[0]): string {
  const bigints = (_key: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);
  return `${typeof abi === "string" ? abi : JSON.stringify(abi)} with ${JSON.stringify(args, bigints)}`;
}

function toJson(type: string, index: number) {
  return { ...JSON.parse(ParamType.from(type).format("json")), name: `p${index}` };
}

interface Typed {
  readonly type: string;
  readonly value: unknown;
}

/** A Solidity type and a value of it. */
function typed(): fc.Arbitrary<Typed> {
  const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);
  const hex = (options: { minLength?: number; maxLength?: number }) =>
    fc.uint8Array(options).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
  const elementary: fc.Arbitrary<Typed>[] = [
    bits.chain((n) => fc.bigInt(0n, (1n << BigInt(n)) - 1n).map((value) => ({ type: `uint${n}`, value }))),
    bits.chain((n) =>
      fc
        .bigInt(-(1n << BigInt(n - 1)), (1n << BigInt(n - 1)) - 1n)
        .map((value) => ({ type: `int${n}`, value })),
    ),
    fc.boolean().map((value) => ({ type: "bool", value })),
    fc.string({ unit: "binary" }).map((value) => ({ type: "string", value })),
    hex({ maxLength: 100 }).map((value) => ({ type: "bytes", value })),
    hex({ minLength: 20, maxLength: 20 }).map((value) => ({ type: "address", value })),
    fc
      .integer({ min: 1, max: 32 })
      .chain((n) => hex({ minLength: n, maxLength: n }).map((value) => ({ type: `bytes${n}`, value }))),
  ];
  const { any } = fc.letrec<{ any: Typed }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      ...elementary,
      fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((members) => ({
        type: `(${members.map(({ type }) => type).join(",")})`,
        value: members.map(({ value }) => value),
      })),
      fc.tuple(tie("any"), fc.integer({ min: 0, max: 3 }), fc.boolean()).map(([item, count, fixed]) => ({
        type: `${item.type}[${fixed && count > 0 ? count : ""}]`,
        value: Array(count).fill(item.value),
      })),
    ),
  }));
  return any;
}
