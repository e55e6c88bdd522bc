import { expect } from "chai";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { parseTraits, readTraits, readTypedTraits } from "../../packages/protocol/traits.ts";

describe("readTraits", () => {
  it("takes traits that are integers as numbers, bigints or decimal strings, and booleans as such or as words", () => {
    for (const [followers, text] of [
      [1200, "1200"],
      [2n ** 64n, "18446744073709551616"],
      ["7", "7"],
    ] as const) {
      expect(readTraits("microblog", { followers })).to.deep.equal({ followers: text });
    }
    for (const verified of [true, "true"]) {
      expect(readTraits("microblog", { verified, verified_type: "-blue" })).to.deep.equal({
        verified: "true",
        verified_type: "-blue",
      });
    }
  });

  for (const [traits, message] of [
    [{ followers: 1.5 }, "Trait followers must be an integer from 0, got 1.5."],
    [{ followers: 2 ** 60 }, "Trait followers must be an integer from 0, got 1152921504606847000."],
    [{ followers: -1 }, "Trait followers must be an integer from 0, got -1."],
    [{ followers: "many" }, 'Trait followers must be an integer from 0, got "many".'],
    [{ verified: 1 }, "Trait verified must be true or false, got 1."],
    [{ verified_type: 7n }, "Trait verified_type must be a string, got 7n."],
    [{ verified_type: {} }, "Trait verified_type must be a string, got an object."],
    [{ verified_type: null }, "Trait verified_type must be a string, got null."],
    [{ height: 180 }, 'Provider microblog has no trait "height"; it has followers, verified, verified_type.'],
  ] as const) {
    it(`names the trait, what it got and what it wants: ${Object.keys(traits)[0]} ${Object.values(traits)[0]}`, () => {
      expect(() => readTraits("microblog", traits)).to.throw(InvalidInputError, message);
    });
  }
});

describe("readTypedTraits", () => {
  it("refuses a text for an integer or a boolean, by the trait's name", () => {
    const read = (traits: object) => () => readTypedTraits("microblog", { ...traits });
    expect(read({ followers: "5" })).to.throw('Trait followers must be an integer from 0, got "5".');
    expect(read({ verified: "true" })).to.throw('Trait verified must be true or false, got "true".');
    const traits = { followers: 5n, verified: true, verified_type: "blue" };
    expect(read(traits)()).to.deep.equal({ followers: "5", verified: "true", verified_type: "blue" });
  });
});

describe("parseTraits", () => {
  it("reads traits that are integers without loss, from numbers and from decimal strings", () => {
    for (const [json, text] of [
      ["1200", "1200"],
      ["0", "0"],
      ["9007199254740993", "9007199254740993"],
      ["123456789012345678901234567890", "123456789012345678901234567890"],
      ['"9007199254740993"', "9007199254740993"],
    ]) {
      expect(parseTraits("microblog", `{"followers":${json}}`)).to.deep.equal({ followers: text });
    }
  });

  it("reads traits that are booleans and strings as a condition writes them", () => {
    const json = '{"verified":false,"verified_type":"blue"}';
    expect(parseTraits("microblog", json)).to.deep.equal({ verified: "false", verified_type: "blue" });
  });

  it("takes an account without any traits", () => {
    expect(parseTraits("exchange", "{}")).to.deep.equal({});
  });

  for (const [json, ...words] of [
    ['{"followers":1.5}', "followers", "integer", "1.5"],
    ['{"followers":-1}', "followers", "integer from 0", "-1"],
    ['{"followers":"-5"}', "followers", '"-5"'],
    ['{"followers":1e3}', "followers", "1e3"],
    ['{"followers":-0}', "followers", "-0"],
    ['{"followers":"01"}', "followers", "01"],
    ['{"followers":true}', "followers", "true"],
    ['{"followers":null}', "followers", "null"],
    ['{"verified":"true"}', "verified", "true or false"],
    ['{"verified":1}', "verified", "1"],
    ['{"verified_type":7}', "verified_type", "string"],
    ['{"height":180}', "height", "followers, verified, verified_type"],
    ['{"__proto__":1}', "__proto__"],
    ["[]", "JSON object"],
    ["null", "JSON object"],
    ["5", "JSON object"],
    ['"followers"', "JSON object"],
    ["{", "JSON object"],
    ["", "JSON object"],
  ] as const) {
    it(`refuses ${json || "nothing"}, and says what it wants`, () => {
      const parse = () => parseTraits("microblog", json);
      expect(parse).to.throw(InvalidInputError);
      for (const word of words) expect(parse).to.throw(word);
    });
  }

  it("refuses traits of an unknown provider and names the known ones", () => {
    expect(() => parseTraits("nobody", "{}")).to.throw(
      InvalidInputError,
      "microblog, exchange, photo_social, short_video",
    );
  });
});
