import { expect } from "chai";
import { nameTrait, writeTrait } from "../../protocol/traitWords.ts";

describe("A trait on the pages", () => {
  const catalogue = {
    traits: { followers: "Followers" },
    values: { "badge blue": "Blue" },
    yes: "yes",
    no: "no",
  };

  it("has its name of the catalogue, or else its words", () => {
    expect(nameTrait("followers", catalogue)).to.equal("Followers");
    expect(nameTrait("verified_badge_type", catalogue)).to.equal("Verified badge type");
    expect(nameTrait("constructor", catalogue)).to.equal("Constructor");
  });

  it("has its value as the language writes it, whole numbers of any size, and all else as it is", () => {
    const write = (value: string) => writeTrait("followers", value, catalogue, "en");
    expect(["true", "false"].map(write)).to.deep.equal(["yes", "no"]);
    expect(["12000", "-7", "90071992547409931"].map(write)).to.deep.equal([
      "12,000",
      "-7",
      "90,071,992,547,409,931",
    ]);
    for (const other of ["1e3", "0x12", "1.5", "", "alice"]) expect(write(other)).to.equal(other);
  });

  it("has the name of its value where there is one, and of no other trait's", () => {
    const write = (trait: string) => writeTrait(trait, "blue", catalogue, "en");
    expect([write("badge"), write("username")]).to.deep.equal(["Blue", "blue"]);
  });
});
