import { expect } from "chai";
import fc from "fast-check";
import { catalogue, type ProviderName } from "../../../packages/protocol/catalogue.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { readPageRequest } from "../../../packages/verify-page/server/pageRequest.ts";
import { type RedirectRules, readReturnAddress } from "../../../packages/verify-page/server/redirect.ts";

const rules: RedirectRules = {
  apps: [
    { origin: "https://app.example", name: "App" },
    { origin: "https://other.example", name: "Other" },
    { origin: "https://nameless.example" },
  ],
  others: "ask",
  loopback: false,
};
const read = (uri: string, given = rules, state?: string) => readReturnAddress(uri, given, state);

describe("An app's return address", () => {
  it("is trusted at an origin that the operator listed", () => {
    expect(read("https://app.example/claim?x=1").kind).to.equal("trusted");
    expect(read("https://app.example:443/").kind).to.equal("trusted");
    expect(read("HTTPS://APP.EXAMPLE/").kind).to.equal("trusted");
    expect(read("https://app.example/claim").name, "its name").to.equal("App");
    const second = { kind: "trusted", origin: "https://other.example", name: "Other" };
    expect(read("https://other.example/claim")).to.include(second);
    expect(read("https://nameless.example/")).to.include({ kind: "trusted", name: undefined });
  });

  const lookAlikes = [
    "https://app.example.evil.example/",
    "https://app.example:8443/",
    "https://xapp.example/",
    "https://app.example./",
    "https://evil.example/https://app.example/",
    "https://evil.example?https://app.example/",
    "https://evil.example#https://app.example/",
    "https://аpp.example/",
  ];
  for (const uri of lookAlikes) {
    it(`is not trusted at ${uri}`, () => {
      expect(read(uri)).to.include({ kind: "ask", name: undefined });
      expect(() => read(uri, { ...rules, others: "refuse" })).to.throw(
        InvalidInputError,
        `is at ${new URL(uri).origin}, which this service does not return to.`,
      );
    });
  }

  it("shows a host name in the form that cannot look like another", () => {
    expect(read("https://аpp.example/").origin).to.equal("https://xn--pp-6kc.example");
  });

  it("is trusted on loopback in development, and refused there otherwise", () => {
    const development = { ...rules, loopback: true };
    for (const uri of [
      "http://127.0.0.1:5173/",
      "http://127.8.0.1/",
      "http://localhost/app",
      "http://tenant.localhost:5173/",
      "http://a.b.localhost/",
      "http://[::1]:1/",
    ]) {
      expect(read(uri, development).kind).to.equal("trusted");
      expect(() => read(uri), uri).to.throw(InvalidInputError);
    }
    for (const uri of [
      "http://127.0.0.1.evil.example/",
      "http://localhost.evil.example/",
      "http://evillocalhost/",
      "http://evil-localhost/",
    ]) {
      expect(() => read(uri, development), uri).to.throw(InvalidInputError);
    }
  });

  const ofApp = (length: number) => `https://app.example/${"a".repeat(length)}`;
  const refused: Record<string, readonly string[]> = {
    "is not an https URL": [
      "",
      "app.example",
      "//app.example/",
      "/claim",
      "https:app.example",
      "https:/app.example/",
      "http://app.example/",
      "http://evil.example/",
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "ftp://app.example/",
      "blob:https://app.example/1",
      "https://[::1/",
      "https://app.example%40evil.example/",
      "https://",
      "https:///app.example/",
    ],
    "contains a space, backslash or control character": [
      "https:\\\\app.example\\",
      "https://app.example\\@evil.example/",
      "https://app.ex\u0000ample/",
      " https://app.example/",
      "https://app.example/ ",
      "https://app.example/\n",
      "\thttps://app.example/",
      "https://app.example/\u202e",
      "https://app.example/\u200b",
    ],
    "has half of a surrogate pair": [
      "https://app.example/\ud83d",
      "https://app.example/\udc4b?a",
      "https://app.example/#\udc4b\ud83d",
    ],
    "contains a user name": [
      "https://user@app.example/",
      "https://user:pass@app.example/",
      "https://@evil.example/",
      "https://app.example@evil.example/",
    ],
    // In a query, where it has 28 characters more than its path.
    "is too long": [ofApp(2_373)],
  };
  for (const [problem, uris] of Object.entries(refused)) {
    it(`is refused where it ${problem}`, () => {
      for (const uri of uris)
        expect(() => read(uri), uri)
          .to.throw(InvalidInputError)
          .with.property("message", `The app's return address (redirect_uri) ${problem}.`);
      expect(read(ofApp(2_372)).url).to.equal(ofApp(2_372));
    });
  }

  it("keeps the app's own query, byte for byte, and its fragment", () => {
    const { success, errors } = read(
      "https://app.example/a?b=%20+%2B&c&b=2&d=%C3%A9#/route?x",
      rules,
      "s&1 é",
    );
    expect(success).to.equal(
      "https://app.example/a?b=%20+%2B&c&b=2&d=%C3%A9&success=true&state=s%261+%C3%A9#/route?x",
    );
    expect(errors.cancelled).to.include("&error=cancelled&state=s%261+");
  });

  it("replaces an outcome that stood there before", () => {
    const uri = "https://app.example/?success=true&%73uccess=true&error=x&state=old&keep=1";
    expect(read(uri, rules, "new").errors.access_denied).to.equal(
      "https://app.example/?keep=1&error=access_denied&state=new",
    );
    expect(read(uri).success).to.equal("https://app.example/?state=old&keep=1&success=true");
  });

  it("never leads anywhere but to the origin that it shows", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ withQueryParameters: true, withFragments: true }),
          fc.string({ unit: "binary" }),
          fc
            .tuple(
              fc.constantFrom("https://", "http://", "https:/", "//", "https:\\\\"),
              fc.string({ unit: fc.constantFrom(..."app.example@:/?#\\ %4\t".split("")) }),
            )
            .map((parts) => parts.join("")),
        ),
        fc.option(fc.string(), { nil: undefined }),
        (uri, state) => {
          let found: ReturnType<typeof read>;
          try {
            found = read(uri, rules, state);
          } catch (error) {
            expect(error).to.be.instanceOf(InvalidInputError);
            return;
          }
          for (const url of [found.url, found.success, ...Object.values(found.errors)]) {
            expect(new URL(url).origin).to.equal(found.origin);
            expect(new URL(url).protocol).to.equal("https:");
          }
          const { searchParams } = new URL(found.success);
          expect(searchParams.getAll("success")).to.deep.equal(["true"]);
          if (state !== undefined) expect(searchParams.getAll("state")).to.deep.equal([state]);
          expect(found.kind === "trusted").to.equal(found.origin === "https://app.example");
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("An app's request to the verify page", () => {
  const ask = (query: string) => readPageRequest(query, rules, ["microblog", "exchange"]);

  it("is refused if its parameters are too long together", () => {
    const message = "The app's parameters together have more than 2400 characters.";
    expect(() => ask(`ui_locales=${"x".repeat(2_401)}`)).to.throw(InvalidInputError, message);
  });

  it("names one provider, several, or none for all that are offered", () => {
    expect(ask("providers=exchange").providers).to.deep.equal(["exchange"]);
    expect(ask("providers=exchange,microblog").providers).to.deep.equal(["exchange", "microblog"]);
    const all = [...catalogue.keys()] as ProviderName[];
    expect(readPageRequest(`providers=${all}`, rules, all).providers).to.deep.equal(all);
    expect(ask("").providers).to.deep.equal(["microblog", "exchange"]);
    expect(ask("").returnTo).to.equal(undefined);
  });

  it("is told which providers there are, when it names another or too many", () => {
    expect(() => ask(`providers=${Array(5).fill("exchange")}`)).to.throw(
      InvalidInputError,
      "The app names 5 providers; there are 4.",
    );
    expect(() => ask(`providers=${"x".repeat(65)}`)).to.throw(
      InvalidInputError,
      `Unknown provider "${"x".repeat(64)}"; known are microblog, exchange, photo_social, short_video.`,
    );
    expect(() => ask("providers=short_video")).to.throw(
      InvalidInputError,
      "Provider short_video is not set up at this service; these are: microblog, exchange.",
    );
  });

  it("may give each parameter once", () => {
    for (const name of ["redirect_uri", "providers", "state"]) {
      expect(() => ask(`${name}=a&${name}=b`)).to.throw(
        InvalidInputError,
        `The address has ${name} more than once.`,
      );
    }
  });
});
