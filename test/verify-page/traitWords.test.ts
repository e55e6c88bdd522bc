import { expect } from "chai";
import { catalogue as providers } from "../../packages/protocol/catalogue.ts";
import { nameTrait, writeTrait } from "../../packages/verify-page/content/traitWords.ts";

describe("A trait on the pages", () => {
  const catalogue = {
    traits: { followers: "Followers" },
    values: { "badge blue": "Blue" },
    yes: "yes",
    no: "no",
  };

  it("names a trait as the catalogue does, or else by the words in its id", () => {
    expect(nameTrait("followers", catalogue)).to.equal("Followers");
    expect(nameTrait("verified_badge_type", catalogue)).to.equal("Verified badge type");
    expect(nameTrait("constructor", catalogue)).to.equal("Constructor");
  });

  it("writes a trait's value as the language does, whole numbers of any size, and all else as it is", () => {
    const write = (value: string) => writeTrait("followers", value, catalogue, "en");
    expect(["true", "false"].map(write)).to.deep.equal(["yes", "no"]);
    expect(["12000", "-7", "90071992547409931"].map(write)).to.deep.equal([
      "12,000",
      "-7",
      "90,071,992,547,409,931",
    ]);
    for (const other of ["1e3", "0x12", "1.5", "", "alice"]) expect(write(other)).to.equal(other);
  });

  it("writes every text as it is, even one of digits alone, or `true`", () => {
    const texts = [...providers.values()].flatMap((traits) =>
      [...traits].filter(([, { type }]) => type === "string").map(([name]) => name),
    );
    expect(texts).to.include("username");
    for (const trait of texts) {
      for (const value of ["1234567", "-7", "007", "true", "false"]) {
        expect(writeTrait(trait, value, catalogue, "en"), trait).to.equal(value);
      }
    }
  });

  it("names a trait's value where the value has a name, and never by another trait's name", () => {
    const write = (trait: string) => writeTrait(trait, "blue", catalogue, "en");
    expect([write("badge"), write("username")]).to.deep.equal(["Blue", "blue"]);
  });
});
