import { expect } from "chai";
import { FunctionFragment, Interface, ParamType } from "ethers";
import fc from "fast-check";
import { artifacts } from "hardhat";
import { encodeCall } from "../../../packages/client/index.ts";
import { expectRefusal } from "../../fixtures/client/identityError.ts";

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
      "  enroll ( bytes32 _identityHash , uint40 expiration__ , bytes memory __signature )",
      "enroll(bytes32,uint40,bytes)",
    ]) {
      expect(encodeCall({ abi, verification }), abi).to.equal(expected);
    }
  });

  it("puts the verification into its parameters, and other arguments by name", () => {
    const mixed =
      "vote(bytes signature, uint8 choice, uint40 expiration, string reason, bytes32 identityHash)";
    expect(encodeCall({ abi: mixed, verification, args: { reason: "Because.", choice: 2 } })).to.equal(
      byEthers(mixed, [signature, 2, expiration, "Because.", identityHash]),
    );
  });

  it("puts the verification into the members of a struct, wherever they are in it, beside others of that struct", async () => {
    const values = [identityHash, expiration, signature];
    const own = "claim((bytes32 identityHash, uint40 expiration, bytes signature) proof, uint256 amount)";
    expect(encodeCall({ abi: own, verification, args: { amount: 5n } })).to.equal(
      byEthers(own, [values, 5n]),
    );
    const unnamed = "claim((bytes32,uint40,bytes))";
    expect(encodeCall({ abi: unnamed, verification })).to.equal(byEthers(unnamed, [values]));
    const more =
      "claim((uint8 round, bytes _signature, bytes32 _identityHash, uint40 _expiration, address to) entry)";
    const to = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const json = JSON.parse(new Interface([`function ${more}`]).formatJson());
    for (const abi of [more, json]) {
      expect(encodeCall({ abi, verification, args: { entry: { round: 7n, to } } })).to.equal(
        byEthers(more, [[7, signature, identityHash, expiration, to]]),
      );
    }
    await expectRefusal(
      () => encodeCall({ abi: more, verification, args: { entry: { round: 7n } } }),
      "args.entry.to",
      "an address, its EIP-55 checksum right where it has one, got nothing",
    );
    // A whole struct can still be given, and two structs are not chosen between.
    expect(encodeCall({ abi: own, args: { amount: 5n, proof: verification } })).to.equal(
      byEthers(own, [values, 5n]),
    );
    const two = own.replace(", uint256 amount", ", (bytes32,uint40,bytes) other");
    await expectRefusal(
      () => encodeCall({ abi: two, verification }),
      "verification.identityHash",
      "a parameter of claim, which takes (bytes32,uint40,bytes) proof, (bytes32,uint40,bytes) other",
    );
  });

  it("encodes a call without a verification", () => {
    for (const abi of ["pause()", [{ type: "function", name: "pause" }]]) {
      expect(encodeCall({ abi })).to.equal(byEthers("pause()", []));
    }
  });

  it("chooses between functions of one name by the given arguments' number and names", () => {
    const moves = ["move(address to, uint8 room)", "move(uint8 floor, uint8 room)", "move(uint8 room)"];
    const abi = JSON.parse(new Interface(moves.map((move) => `function ${move}`)).formatJson());
    expect(encodeCall({ abi, args: { room: 7, floor: 3 } })).to.equal(byEthers("move(uint8,uint8)", [3, 7]));
    expect(encodeCall({ abi, args: { room: 7 } })).to.equal(byEthers("move(uint8)", [7]));
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
    const to = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    for (const struct of ["(address to, int[] amounts)", "tuple(address to, int256[] amounts)"]) {
      expect(
        encodeCall({ abi: `fill(${struct} order)`, args: { order: { amounts: [1n, -2n], to } } }),
      ).to.equal(byEthers("fill((address,int256[]))", [[to, [1n, -2n]]]));
    }
  });

  it("names the argument that it refuses, says what it wants, and shows the beginning of what it got", async () => {
    const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const miscast = address.replace("aa3", "aA3");
    const call = (type: string, value: unknown) => ({ abi: `f(${type} x)`, args: { x: value } });
    const json = (input: { type: string; name: string }) => ({
      abi: [{ type: "function", name: "f", inputs: [input] }],
      args: { x: [1] },
    });
    const claim = "claim(uint8 tier, bytes32 _identityHash, uint40 _expiration, bytes _signature)";
    const functions = ["a", "b", "b"].map((name) => ({ type: "function", name }));
    const verified = (change: object) => ({ abi: enroll, verification: { ...verification, ...change } });
    const [number, casing] = [
      "a bigint or safe integer that fits",
      "an address, its EIP-55 checksum right where it has one",
    ];
    const known = "abi must be made of Solidity's elementary types, arrays and structs, got";
    const written = "abi must be a JSON ABI or a signature such as enroll(bytes32 identityHash), got";
    const long = "a".repeat(81);
    const signatures = [
      "",
      "enroll",
      "enroll(",
      "f(uint8",
      "f(uint8 a",
      "f(uint8 a b)",
      "f(uint8[x] a)",
      "f(uint8[2 a)",
      "f(uint8 a; uint8 b)",
      "f(tuple(uint8 a b)",
      "1f(uint8 a)",
      "f[uint8 a)",
      "f(- a)",
      "f(tuple uint8 x)",
    ];
    const types = "uint7 uint264 uint08 a_uint8 uint8x a_int bytes0 bytes33 bytes4x xbytes4 IERC20 tuple $8";
    const values: [type: string, value: unknown, wanted: string, path?: string][] = [
      ["uint8", 256n, `${number} uint8, got 256n`],
      ["uint8", -1, `${number} uint8, got -1`],
      ["int8", 128, `${number} int8, got 128`],
      ["int8", -129n, `${number} int8, got -129n`],
      ["uint", 1n << 256n, `${number} uint256, got ${1n << 256n}n`],
      ["int", 1n << 255n, `${number} int256, got ${1n << 255n}n`],
      ["uint256", 2 ** 53, `${number} uint256, got ${2 ** 53}`],
      ["uint256", 1.5, `${number} uint256, got 1.5`],
      ["uint256", null, `${number} uint256, got null`],
      ["uint256", long.slice(1), `${number} uint256, got "${long.slice(1)}"`],
      ["uint256", long, `${number} uint256, got "${long.slice(1)}…"`],
      ["bool", 1, "true or false, got 1"],
      ["address", "0x12", `${casing}, got "0x12"`],
      ["address", [address], `${casing}, got an array`],
      ["address", miscast, `${casing}, got "${miscast}"`],
      ["bytes4", "0x12", '4 bytes as hex after 0x, got "0x12"'],
      ["bytes4", ["0x12345678"], "4 bytes as hex after 0x, got an array"],
      // Never shown: it may be a signature.
      ["bytes", "0x1", "bytes as hex after 0x"],
      ["bytes", "00x12", "bytes as hex after 0x"],
      ["bytes", "0x12 ", "bytes as hex after 0x"],
      ["bytes", 12, "bytes as hex after 0x"],
      ["bytes", ["0x12"], "bytes as hex after 0x"],
      ["bytes", "0X12", "bytes as hex after 0x"],
      ["bytes1", "0X12", '1 bytes as hex after 0x, got "0X12"'],
      ["string", 12, "a text, got 12"],
      // UTF-8 has no half of a surrogate pair.
      ["string", "a\ud83d", 'a text, got "a\\ud83d"'],
      ["string", "\udca9a", 'a text, got "\\udca9a"'],
      ["uint256[2]", [1n], "an array of 2 uint256, got an array"],
      ["uint256[]", 1n, "an array of uint256, got 1n"],
      ["uint8[]", [1, 256], `${number} uint8, got 256`, "x[1]"],
      ["(uint8 a)", 1n, "an object, got 1n"],
      ["(uint8 a)", null, "an object, got null"],
      ["(uint8)", {}, "an array, got an object"],
      ["(uint8 a)", {}, `${number} uint8, got nothing`, "x.a"],
      ["(uint8)", ["1"], `${number} uint8, got "1"`, "x.0"],
      ["((bool b)[] a)", { a: [{ b: "yes" }] }, 'true or false, got "yes"', "x.a[0].b"],
    ];
    type Refused = [options: Parameters<typeof encodeCall>[0], message: string];
    const refused: Refused[] = [
      ...signatures.map((abi): Refused => [{ abi }, `${written} "${abi}"`]),
      ...types.split(" ").map((type): Refused => [call(type, 1n), `${known} "${type}"`]),
      ...values.map(
        ([type, value, wanted, path = "x"]): Refused => [call(type, value), `args.${path} must be ${wanted}`],
      ),
      [json({ type: "uint8[]x", name: "x" }), `${known} "uint8[]x"`],
      [json({ type: "tuple", name: "x" }), `${known} "tuple"`],
      [{ abi: [] }, "abi must be one with the function to call"],
      [{ abi: [{ type: "function" }] }, "abi must be one with the function to call"],
      [{ abi: [{ type: "event", name: "f", inputs: [] }] }, "abi must be one with the function to call"],
      [{ abi: functions, functionName: "c" }, "abi must be one with the function c"],
      [{ abi: { abi: [] } as never }, "abi must be a JSON ABI or a function's signature, got an object"],
      [
        { abi: functions },
        "functionName must be that of the one function to call; there are a and b, got nothing",
      ],
      [
        { abi: functions, functionName: "b" },
        'functionName must be that of the one function to call; there are b, got "b"',
      ],
      [{ abi: "f(uint256)", args: {} }, "abi must be one that names every parameter of f"],
      [{ abi: "f(() a, uint8 b)", args: {} }, "args.a must be a tuple, got nothing"],
      [
        { abi: "f(() a, uint8 b)", args: { x: 1 } },
        "args.x must be a parameter of f, which takes () a, uint8 b",
      ],
      [{ abi: deposit, verification }, "args.amount must be a uint256, got nothing"],
      [{ abi: "f(uint8 x)", args: { x: 1n, y: 2n } }, "args.y must be a parameter of f, which takes uint8 x"],
      [
        { abi: "f(address, int8)", args: { to: address } },
        "args.to must be a parameter of f, which takes address, int8",
      ],
      [
        { abi: "f()", verification },
        "verification.identityHash must be a parameter of f, which takes nothing",
      ],
      [{ ...verified({}), args: { signature } }, "args.signature must be left out: the verification has it"],
      [
        { abi: "f(bytes32 identityHash, bytes _sig_nature)", verification },
        "verification.expiration must be a parameter of f, which takes bytes32 identityHash, bytes _sig_nature",
      ],
      [
        { abi: claim, verification, args: { level: 1 } },
        "args.level must be a parameter of claim, which takes uint8 tier, bytes32 identityHash, uint40 expiration, bytes signature",
      ],
      [
        verified({ identityHash: "0x12" }),
        'verification.identityHash must be 32 bytes as hex after 0x, got "0x12"',
      ],
      [verified({ expiration: 2 ** 40 }), `verification.expiration must be ${number} uint40, got ${2 ** 40}`],
      [verified({ signature: "0xabcdefabcde" }), "verification.signature must be bytes as hex after 0x"],
    ];
    for (const [options, message] of refused) {
      const [argument = "", wanted = ""] = message.split(" must be ");
      await expectRefusal(() => encodeCall(options), argument, wanted);
    }
  });
});

/** As some compilers write it, with `components` everywhere. */
function toJson(type: string, index: number) {
  return { components: [], ...JSON.parse(ParamType.from(type).format("json")), name: `p${index}` };
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
