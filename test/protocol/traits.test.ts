import { expect } from "chai";
import { InvalidInputError } from "../../protocol/errors.ts";
import { parseTraits } from "../../protocol/traits.ts";

describe("parseTraits", () => {
  it("reads integers without loss, from numbers and from decimal strings", () => {
    for (const [json, text] of [
      ["1200", "1200"],
      ["0", "0"],
      ["-5", "-5"],
      ["9007199254740993", "9007199254740993"],
      ["123456789012345678901234567890", "123456789012345678901234567890"],
      ['"9007199254740993"', "9007199254740993"],
    ]) {
      expect(parseTraits("microblog", `{"followers":${json}}`)).to.deep.equal({ followers: text });
    }
  });

  it("reads booleans and strings as a condition writes them", () => {
    const json = '{"verified":false,"verified_type":"blue"}';
    expect(parseTraits("microblog", json)).to.deep.equal({ verified: "false", verified_type: "blue" });
  });

  it("takes no traits at all", () => {
    expect(parseTraits("exchange", "{}")).to.deep.equal({});
  });

  for (const [json, ...words] of [
    ['{"followers":1.5}', "followers", "integer", "1.5"],
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
    ["{", "JSON object"],
    ["", "JSON object"],
  ] as const) {
    it(`refuses ${json || "nothing"}, and says what it wants`, () => {
      const parse = () => parseTraits("microblog", json);
      expect(parse).to.throw(InvalidInputError);
      for (const word of words) expect(parse).to.throw(word);
    });
  }

  it("refuses an unknown provider and names the known ones", () => {
    expect(() => parseTraits("nobody", "{}")).to.throw(
      InvalidInputError,
      "microblog, exchange, photo_social, short_video",
    );
  });
});
