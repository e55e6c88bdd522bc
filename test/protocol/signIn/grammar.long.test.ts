import { expect } from "chai";
import { judge } from "../../fixtures/fuzz/judge.ts";
import { characters, places } from "../../fixtures/protocol/grammar.ts";

describe("The grammar of EIP-4361, character by character,", () => {
  for (const [place, withCharacter] of Object.entries(places)) {
    it(`has all of ASCII, and some beyond, where the judge has it: in ${place}`, () => {
      const verdicts = new Set(characters.map((character) => judge(withCharacter(character))));
      expect([...verdicts]).to.include.members(["accepted", "refused"]);
    });
  }
});
