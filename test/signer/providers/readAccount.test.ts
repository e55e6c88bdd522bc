import { expect } from "chai";
import { parseJsonLosslessly } from "../../../protocol/json.ts";
import { ProviderFailure } from "../../../signer/internal/providers/failure.ts";
import { readAccount } from "../../../signer/internal/providers/readAccount.ts";
import { connectors } from "../../../signer/providers/connectors.ts";

const { microblog, exchange, short_video } = connectors;

describe("reading an account from a provider's answers", () => {
  const answers = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([call, text]) => [call, parseJsonLosslessly(text)]));

  it("leaves out traits that are missing or null", () => {
    const user = '{"data":{"id":"1","verified":null,"public_metrics":{},"verified_type":"none"}}';
    expect(readAccount(microblog, answers({ user })).traits).to.deep.equal({ verified_type: "none" });
  });

  it("reports an answer without a part or without any trait as incomplete", () => {
    const ofExchange = (membership: string) =>
      readAccount(exchange, answers({ user: '{"data":{"id":"1"}}', membership }));
    for (const read of [
      () => ofExchange('{"data":null}'),
      () => ofExchange("{}"),
      () => ofExchange('{"data":{"since":"2020"}}'),
      () => readAccount(microblog, answers({ user: '{"data":{"id":"1","verified":true}}' })),
      () => readAccount(short_video, answers({ user: '{"data":{"user":{"open_id":"1"}}}' })),
    ]) {
      expect(read).to.throw(ProviderFailure).that.has.property("reason", "incomplete");
    }
  });

  it("shows no name that is not a short text", () => {
    for (const name of ["7", '""', '"\\u0000"', `"${"n".repeat(257)}"`, "null"]) {
      const user = `{"data":{"id":"1","username":${name},"verified":true,"public_metrics":{}}}`;
      expect(readAccount(microblog, answers({ user })), name).not.to.have.property("accountName");
    }
  });

  const bad: Record<string, string> = {
    "no account id": '{"data":{}}',
    "an empty account id": '{"data":{"id":""}}',
    "a fraction as account id": '{"data":{"id":1.5}}',
    "an account id in exponent form": '{"data":{"id":1e21}}',
    "true as account id": '{"data":{"id":true}}',
    "an account id that is too long": `{"data":{"id":"${"1".repeat(257)}"}}`,
    "an account id that has no UTF-8 form": '{"data":{"id":"\\ud800"}}',
    "an inherited member": '{"data":{"__proto__":{"id":"1"}}}',
    "a list": "[]",
    "a text in place of a number": '{"data":{"id":"1","public_metrics":{"followers_count":"many"}}}',
    "a rounded number": '{"data":{"id":"1","public_metrics":{"followers_count":1.2e3}}}',
    "a number in place of a boolean": '{"data":{"id":"1","verified":1}}',
    "a text in place of a boolean": '{"data":{"id":"1","verified":"true"}}',
    "an object in place of a text": '{"data":{"id":"1","verified_type":{}}}',
  };
  for (const [what, user] of Object.entries(bad)) {
    it(`refuses ${what}`, () => {
      expect(() => readAccount(microblog, answers({ user })))
        .to.throw(ProviderFailure)
        .that.has.property("reason", "bad_answer");
    });
  }
});
