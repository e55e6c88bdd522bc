import { expect } from "chai";
import { catalogue } from "../../packages/protocol/catalogue.ts";
import { findPolicyProblem, findUnmetCondition, listPolicyProblems } from "../../packages/protocol/policy.ts";

/** The specification's table. */
const table = [
  ["microblog", "followers", "int", "eq gt gte lt lte"],
  ["microblog", "verified", "bool", "eq"],
  ["microblog", "verified_type", "string", "eq"],
  ["exchange", "exchange_membership_active", "bool", "eq"],
  ["exchange", "exchange_membership_billed", "bool", "eq"],
  ["photo_social", "followers_count", "int", "eq gt gte lt lte"],
  ["photo_social", "username", "string", "eq"],
  ["short_video", "follower_count", "int", "eq gt gte lt lte"],
  ["short_video", "following_count", "int", "eq gt gte lt lte"],
  ["short_video", "likes_count", "int", "eq gt gte lt lte"],
  ["short_video", "video_count", "int", "eq gt gte lt lte"],
] as const;

describe("The policy catalogue", () => {
  it("has a catalogue that is the specification's table and nothing more", () => {
    const rows = [...catalogue].flatMap(([provider, conditions]) =>
      [...conditions].map(([name, entry]) => [provider, name, entry.type, entry.operators.join(" ")]),
    );
    expect(rows).to.have.deep.members(table.map((row) => [...row]));
  });
});

describe("findPolicyProblem", () => {
  const problem = (change: { name?: string; op?: string; value?: string }) =>
    findPolicyProblem({
      provider: "microblog",
      conditions: [{ name: "followers", op: "gt", value: "1000", ...change }],
    });

  it("finds an unknown provider, condition or operator, however close", () => {
    for (const provider of ["", "Microblog", "microblog ", "constructor", "__proto__"]) {
      const found = findPolicyProblem({
        provider,
        conditions: [{ name: "followers", op: "gt", value: "1" }],
      });
      expect(found, provider).to.include("Unknown provider");
    }
    for (const name of ["", "Followers", "followers_count", "toString", "__proto__"]) {
      expect(problem({ name }), name).to.include("has no condition");
    }
    for (const op of ["", "GT", "ne", "==", "constructor"]) {
      expect(problem({ op }), op).to.include("operator");
    }
  });

  it("finds a condition's value that is not a canonical integer", () => {
    for (const value of ["0", "-1", "1", "-10", "123456789012345678901234567890"]) {
      expect(problem({ value }), value).to.equal(undefined);
    }
    const bad = ["", "-0", "+1", "01", "1.0", "1e3", "0x10", " 1", "1 ", "1_000", "1,000", "true", "١"];
    for (const value of bad) expect(problem({ value }), value).to.include("decimal integer");
  });

  it("finds a boolean condition's value that is neither true nor false", () => {
    for (const value of ["", "True", "TRUE", "1", "0", "yes", " true"]) {
      expect(problem({ name: "verified", op: "eq", value }), value).to.include("true or false");
    }
    for (const value of ["true", "false"]) {
      expect(problem({ name: "verified", op: "eq", value })).to.equal(undefined);
    }
  });

  it("takes any text for a string condition", () => {
    for (const value of ["", "blue", "zoë", " ", "in"]) {
      expect(problem({ name: "verified_type", op: "eq", value })).to.equal(undefined);
    }
  });

  it("finds all that is wrong with a policy, and shows the first 64 characters of a text", () => {
    const list = (provider: string, conditions: readonly object[]) =>
      [...listPolicyProblems({ provider, conditions } as Parameters<typeof listPolicyProblems>[0])].map(
        ({ rule, message }) => `${rule}: ${message}`,
      );
    const text = "b".repeat(64);
    expect(list(text + "c".repeat(193), [])).to.deep.equal([
      "no-condition: The policy has no condition; it needs at least one.",
      "policy-too-large: The policy has a string of more than 256 bytes.",
      `unsupported-provider: Unknown provider "${text}…"; known are microblog, exchange, photo_social, short_video.`,
    ]);
    const served = Array(32).fill({ name: "followers", op: "gt", value: "1" });
    expect(list("microblog", served)).to.deep.equal([]);
    const wrong = [
      { name: `${text}c`, op: "eq", value: "1" },
      { name: "verified", op: text, value: "yes" },
      { name: "followers", op: "ne", value: "01" },
    ];
    expect(list("microblog", [...wrong, ...served.slice(2)])).to.deep.equal([
      "policy-too-large: The policy has 33 conditions; at most 32 are served.",
      `unsupported-condition: Provider microblog has no condition "${text}…"; it has followers, verified, verified_type.`,
      `unsupported-operator: Condition verified does not take the operator "${text}"; it takes eq.`,
      'unsupported-value: Condition verified needs true or false as its value, not "yes".',
      'unsupported-operator: Condition followers does not take the operator "ne"; it takes eq, gt, gte, lt, lte.',
      'unsupported-value: Condition followers needs a decimal integer without leading zeros as its value, not "01".',
    ]);
  });

  it("finds a policy's string of more than 256 bytes, measured in UTF-8", () => {
    const value = (text: string) => problem({ name: "verified_type", op: "eq", value: text });
    expect(value("a".repeat(256))).to.equal(undefined);
    expect(value("ë".repeat(128))).to.equal(undefined);
    expect(value("a".repeat(257))).to.include("256 bytes");
    expect(value("ë".repeat(129))).to.include("256 bytes");
    expect(problem({ value: "9".repeat(257) })).to.include("256 bytes");
    expect(problem({ name: "a".repeat(257) })).to.include("256 bytes");
  });
});

describe("findUnmetCondition", () => {
  const holds = (name: string, trait: string | undefined, op: string, value: string) =>
    findUnmetCondition(
      { provider: "microblog", conditions: [{ name, op, value }] },
      trait === undefined ? {} : { [name]: trait },
    ) === undefined;

  const large = "9007199254740993";
  const integers: [trait: string, value: string, operatorsThatHold: string][] = [
    ["999", "1000", "lt lte"],
    ["1000", "1000", "eq gte lte"],
    ["1001", "1000", "gt gte"],
    ["9", "1000", "lt lte"],
    ["-1", "0", "lt lte"],
    ["-2", "-10", "gt gte"],
    ["0", "0", "eq gte lte"],
    [large, "9007199254740992", "gt gte"],
    [large, large, "eq gte lte"],
    [`${large}0000000001`, `${large}0000000002`, "lt lte"],
  ];
  for (const [trait, value, operators] of integers) {
    for (const op of ["eq", "gt", "gte", "lt", "lte"]) {
      const expected = operators.split(" ").includes(op);
      it(`says that ${trait} ${op} ${value} is ${expected}`, () => {
        expect(holds("followers", trait, op, value)).to.equal(expected);
      });
    }
  }

  it("compares the booleans and strings of traits exactly", () => {
    expect(holds("verified", "true", "eq", "true")).to.equal(true);
    expect(holds("verified", "false", "eq", "true")).to.equal(false);
    expect(holds("verified", "false", "eq", "false")).to.equal(true);
    expect(holds("verified_type", "blue", "eq", "blue")).to.equal(true);
    expect(holds("verified_type", "Blue", "eq", "blue")).to.equal(false);
    expect(holds("verified_type", "blue ", "eq", "blue")).to.equal(false);
    expect(holds("verified_type", "zo\u00eb", "eq", "zoe\u0308")).to.equal(false);
  });

  it("fails a condition whose trait is missing, even where the value is empty or false", () => {
    expect(holds("followers", undefined, "gte", "0")).to.equal(false);
    expect(holds("verified", undefined, "eq", "false")).to.equal(false);
    expect(holds("verified_type", undefined, "eq", "")).to.equal(false);
    expect(holds("verified_type", "", "eq", "")).to.equal(true);
  });

  it("fails a condition whose trait is inherited from the object's prototype", () => {
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const inherited = Object.create({ followers: "1500" });
    expect(findUnmetCondition({ provider: "microblog", conditions }, inherited)).to.equal(conditions[0]);
  });

  it("fails a condition that the catalogue does not have", () => {
    const conditions = [{ name: "followers", op: "eq", value: "2" }];
    expect(findUnmetCondition({ provider: "nobody", conditions }, { followers: "2" })).to.equal(
      conditions[0],
    );
    expect(holds("height", "2", "eq", "2")).to.equal(false);
    expect(holds("followers", "2", "ne", "1")).to.equal(false);
    expect(holds("verified", "true", "gt", "true")).to.equal(false);
  });

  it("fails a condition whose trait is not of its type", () => {
    expect(holds("followers", "many", "gte", "0")).to.equal(false);
    expect(holds("verified", "yes", "eq", "true")).to.equal(false);
  });

  it("wants every condition of a policy met, and names the first that is not", () => {
    const conditions = [
      { name: "followers", op: "gt", value: "1000" },
      { name: "followers", op: "lt", value: "2000" },
      { name: "verified", op: "eq", value: "true" },
    ];
    const policy = { provider: "microblog", conditions };
    expect(findUnmetCondition(policy, { followers: "1500", verified: "true" })).to.equal(undefined);
    expect(findUnmetCondition(policy, { followers: "2500", verified: "false" })).to.equal(conditions[1]);
    expect(findUnmetCondition(policy, { followers: "1500", verified: "false" })).to.equal(conditions[2]);
  });
});
