import { expect } from "chai";
import { AbiCoder, getBytes } from "ethers";
import { network } from "hardhat";
import { catalogue, operators } from "../../protocol/catalogue.ts";
import { type Condition, findPolicyProblem, findUnmetCondition, type Policy } from "../../protocol/policy.ts";
import { decodePolicy, encodePolicy } from "../../protocol/policyEncoding.ts";
import { parseTraits } from "../../protocol/traits.ts";
import type { PolicyRulesProbe } from "../../typechain-types/index.ts";

const values = ["0", "7", "-7", "10", "007", "-0", "-", "+1", "1.5", "1e3", "", " 1", "true", "True", "any"];

describe("What Solidity tests are told of a policy, which is what the service says", () => {
  let probe: PolicyRulesProbe;
  before(async () => {
    const { ethers } = await network.create("identityLocal");
    probe = await ethers.deployContract("PolicyRulesProbe");
  });

  /** The service's way with what a contract returns. */
  function findProblem(policy: Policy): string {
    const read = decodePolicy(encodePolicy(policy));
    if (read === undefined) throw new Error("The policy cannot be encoded.");
    return "problem" in read ? read.problem : (findPolicyProblem(read.policy) ?? "");
  }

  async function compare(policies: readonly Policy[]): Promise<number> {
    const told = await Promise.all(
      policies.map((p) => probe.findPolicyProblem(p.provider, [...p.conditions])),
    );
    const said = policies.map(findProblem);
    expect(told).to.deep.equal(said);
    return said.filter((problem) => problem === "").length;
  }

  const one = (provider: string, name: string, op: string, value: string): Policy => ({
    provider,
    conditions: [{ name, op, value }],
  });

  it("has the same catalogue", async () => {
    for (const [provider, traits] of catalogue) {
      const entries = (await probe.catalogue(provider)).map(({ name, kind }) => [name, kind]);
      expect(entries).to.deep.equal([...traits].map(([name, { type }]) => [name, type]));
    }
    for (const provider of ["", "twitter", "Microblog", "microblog "]) {
      expect(await probe.catalogue(provider)).to.have.length(0);
    }
  });

  it("is the same for every provider, condition and operator", async () => {
    const policies = [...catalogue].flatMap(([provider, traits]) =>
      [...traits.keys(), "unknown"].flatMap((name) =>
        [...operators, "ne", "EQ", ""].map((op) => one(provider, name, op, "true")),
      ),
    );
    expect(await compare(policies)).to.be.above(0);
    expect(await compare([one("twitter", "followers", "gt", "1"), one("", "", "", "")])).to.equal(0);
  });

  it("is the same for every kind of value", async () => {
    const policies = [...catalogue].flatMap(([provider, traits]) =>
      [...traits.keys()].flatMap((name) => values.map((value) => one(provider, name, "eq", value))),
    );
    expect(await compare(policies)).to.be.above(0);
  });

  it("is the same at the limits of size", async () => {
    const good: Condition = { name: "username", op: "eq", value: "a" };
    const sized = (value: string) => one("photo_social", "username", "eq", value);
    const many = (length: number): Policy => ({
      provider: "photo_social",
      conditions: Array.from({ length }, () => good),
    });
    expect(await compare([many(32), sized("a".repeat(256)), sized("é".repeat(128))])).to.equal(3);
    const tooLarge = [many(0), many(33), sized("a".repeat(257)), sized("é".repeat(129))];
    const elsewhere = [
      one("a".repeat(257), "followers", "gt", "1"),
      one("microblog", "a".repeat(257), "gt", "1"),
      one("microblog", "followers", "g".repeat(257), "1"),
      { ...many(33), provider: "twitter" },
    ];
    expect(await compare([...tooLarge, ...elsewhere])).to.equal(0);
  });

  it("names the first of several problems", async () => {
    const conditions = [
      { name: "followers", op: "gt", value: "1" },
      { name: "verified", op: "gt", value: "true" },
      { name: "unknown", op: "eq", value: "1" },
    ];
    expect(await compare([{ provider: "microblog", conditions }])).to.equal(0);
  });

  it("refuses text that is not UTF-8, and no other", async () => {
    const texts = [
      ...["61", "c3a9", "e282ac", "f09f9880", "ed9fbf", "ee8080", "f48fbfbf", "c280", "e0a080", "f0908080"],
      ...["80", "c1bf", "c3", "c361", "e09fbf", "e282", "e28261", "eda080", "f08fbfbf", "f0908061"],
      ...["f4908080", "f5808080", "ff", "61ff", "c3a980"],
    ];
    for (const hex of texts) {
      const text = AbiCoder.defaultAbiCoder()
        .encode(["bytes"], [`0x${hex}`])
        .slice(66);
      const selector = probe.interface.getFunction("findPolicyProblem").selector;
      // Ethers itself refuses to encode such text: put together by hand, as `("photo_social", [("username", "eq", text)])`.
      const word = (value: number) => value.toString(16).padStart(64, "0");
      const string = (value: string) =>
        word(value.length) + Buffer.from(value).toString("hex").padEnd(64, "0");
      const tuple = [96, 160, 224].map(word).join("") + string("username") + string("eq") + text;
      const data = `${selector}${word(64)}${word(128)}${string("photo_social")}${word(1)}${word(32)}${tuple}`;
      const answer = await probe.runner?.call?.({ to: await probe.getAddress(), data });
      const [problem] = AbiCoder.defaultAbiCoder().decode(["string"], answer ?? "0x");
      expect(problem, hex).to.equal(isUtf8(hex) ? "" : "The policy has a string that is not UTF-8.");
    }
  });

  it("judges traits as the service does", async () => {
    const numbers = ["0", "-1", "1", "9", "10", "-10", "99", "100", "-100", "12345678901234567890123", "2"];
    for (const op of ["eq", "gt", "gte", "lt", "lte"]) {
      for (const value of ["0", "-10", "10", "100", "12345678901234567890122"]) {
        const policy = one("microblog", "followers", op, value);
        const met = numbers.map((followers) => findUnmetCondition(policy, { followers }) === undefined);
        const judged = await Promise.all(
          numbers.map(async (number) => (await unmet(policy, { followers: number })) === ""),
        );
        expect(judged, `${op} ${value}`).to.deep.equal(met);
      }
    }
    const blue = one("microblog", "verified_type", "eq", "blue");
    expect(await unmet(blue, { verified_type: "blue" })).to.equal("");
    expect(await unmet(blue, { verified_type: "Blue" })).to.equal("verified_type eq blue");
    expect(await unmet(blue, {})).to.equal("verified_type eq blue");
    const both = { ...blue, conditions: [...blue.conditions, { name: "followers", op: "lt", value: "5" }] };
    expect(await unmet(both, { followers: "4", verified_type: "blue" })).to.equal("");
    expect(await unmet(both, { followers: "5", verified_type: "blue" })).to.equal("followers lt 5");
  });

  it("refuses traits that no account can have, in the service's words", async () => {
    const cases = [
      ["microblog", "followers", "1200"],
      ["microblog", "followers", "many"],
      ["microblog", "follower_count", "1"],
      ["exchange", "followers", "1"],
      ["photo_social", "username", "anything"],
    ] as const;
    for (const [provider, name, value] of cases) {
      expect(await probe.findTraitsProblem(provider, [{ name, value }])).to.equal(
        describeTraits(provider, { [name]: value }),
      );
    }
    expect(await probe.findTraitsProblem("microblog", [{ name: "verified", value: "true" }])).to.equal("");
    expect(await probe.findTraitsProblem("microblog", [{ name: "verified", value: "yes" }])).to.equal(
      describeTraits("microblog", { verified: "yes" }),
    );
  });

  function unmet({ provider, conditions }: Policy, traits: Record<string, string>): Promise<string> {
    const list = Object.entries(traits).map(([name, value]) => ({ name, value }));
    return probe.findUnmetCondition(provider, [...conditions], list);
  }

  function describeTraits(provider: string, traits: Record<string, string>): string {
    try {
      parseTraits(provider, JSON.stringify(traits));
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
});

function isUtf8(hex: string): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(getBytes(`0x${hex}`));
    return true;
  } catch {
    return false;
  }
}
