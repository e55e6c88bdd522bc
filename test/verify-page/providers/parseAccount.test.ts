import { expect } from "chai";
import { parseJsonLosslessly } from "../../../packages/protocol/json.ts";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { ProviderFailure } from "../../../packages/verify-page/providers/failure.ts";
import { parseAccount } from "../../../packages/verify-page/providers/parseAccount.ts";

const { microblog, exchange, short_video } = connectors;

describe("reading an account from a provider's answers", () => {
  const answers = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([call, text]) => [call, parseJsonLosslessly(text)]));

  it("leaves out traits that are missing or null", () => {
    const user = '{"data":{"id":"1","verified":null,"public_metrics":{},"verified_type":"none"}}';
    expect(parseAccount(microblog, answers({ user })).traits).to.deep.equal({ verified_type: "none" });
  });

  it("takes a whole number with a fraction of zero, and a boolean as a word", () => {
    const user =
      '{"data":{"id":"1","verified":"false","public_metrics":{"followers_count":2476322.0},"verified_type":"none"}}';
    expect(parseAccount(microblog, answers({ user })).traits).to.deep.equal({
      followers: "2476322",
      verified: "false",
      verified_type: "none",
    });
  });

  it("reports an answer without a part or without any trait as incomplete", () => {
    const ofExchange = (membership: string) =>
      parseAccount(exchange, answers({ user: '{"data":{"id":"1"}}', membership }));
    for (const [read, lacks] of [
      [() => ofExchange('{"data":null}'), "the answer has no membership.data."],
      [() => ofExchange("{}"), "the answer has no membership.data."],
      [
        () => ofExchange('{"data":{"since":"2020"}}'),
        "the answer has none of the values that were asked for.",
      ],
      [
        () => parseAccount(microblog, answers({ user: '{"data":{"id":"1","verified":true}}' })),
        "the answer has no user.data.public_metrics.",
      ],
      [
        () => parseAccount(short_video, answers({ user: '{"data":{"user":{"union_id":"1"}}}' })),
        "the answer has none of the values that were asked for.",
      ],
    ] as const) {
      expect(read).to.throw(ProviderFailure, lacks).that.has.property("reason", "incomplete");
    }
  });

  it("shows no name that is not a short text", () => {
    const longest = "é".repeat(128);
    const named = `{"data":{"id":"${longest}","username":"${longest}","verified":true,"public_metrics":{}}}`;
    expect(parseAccount(microblog, answers({ user: named }))).to.include({
      accountId: longest,
      accountName: longest,
    });
    for (const name of ["7", '""', '"\\u0000"', `"${"é".repeat(129)}"`, "null"]) {
      const user = `{"data":{"id":"1","username":${name},"verified":true,"public_metrics":{}}}`;
      expect(parseAccount(microblog, answers({ user })), name).not.to.have.property("accountName");
    }
  });

  const ofId = "no account id at user.data.id.";
  const notOf = (name: string, type: string) => `the value at user.data.${name} is not of type ${type}.`;
  const bad: Record<string, [string, string]> = {
    "no account id": ['{"data":{}}', ofId],
    "an empty account id": ['{"data":{"id":""}}', ofId],
    "a fraction as account id": ['{"data":{"id":1.5}}', ofId],
    "an account id with a fraction of zero": ['{"data":{"id":12.0}}', ofId],
    "an account id in exponent form": ['{"data":{"id":1e21}}', ofId],
    "true as account id": ['{"data":{"id":true}}', ofId],
    "an account id that is too long": [`{"data":{"id":"${"é".repeat(129)}"}}`, ofId],
    "an account id that has no UTF-8 form": ['{"data":{"id":"\\ud800"}}', ofId],
    "an inherited member": ['{"data":{"__proto__":{"id":"1"}}}', ofId],
    "a list": ["[]", ofId],
    "a text in place of a number": [
      '{"data":{"id":"1","public_metrics":{"followers_count":"many"}}}',
      notOf("public_metrics.followers_count", "int"),
    ],
    "a rounded number": [
      '{"data":{"id":"1","public_metrics":{"followers_count":1.2e3}}}',
      notOf("public_metrics.followers_count", "int"),
    ],
    "a negative number": [
      '{"data":{"id":"1","public_metrics":{"followers_count":-1}}}',
      "the value at user.data.public_metrics.followers_count is below 0.",
    ],
    "a fraction in place of a whole number": [
      '{"data":{"id":"1","public_metrics":{"followers_count":12.50}}}',
      notOf("public_metrics.followers_count", "int"),
    ],
    "a number in place of a text": [
      '{"data":{"id":"1","verified_type":7}}',
      notOf("verified_type", "string"),
    ],
    "a number in place of a boolean": ['{"data":{"id":"1","verified":1}}', notOf("verified", "bool")],
    "another text in place of a boolean": [
      '{"data":{"id":"1","verified":"True"}}',
      notOf("verified", "bool"),
    ],
    "an object in place of a text": [
      '{"data":{"id":"1","verified_type":{}}}',
      notOf("verified_type", "string"),
    ],
  };
  for (const [what, [user, problem]] of Object.entries(bad)) {
    it(`refuses ${what}`, () => {
      expect(() => parseAccount(microblog, answers({ user })))
        .to.throw(ProviderFailure, `Provider microblog: ${problem}`)
        .that.has.property("reason", "bad_answer");
    });
  }
});
