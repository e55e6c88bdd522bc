import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { verifyMessage, Wallet } from "ethers";
import fc from "fast-check";
import { network } from "hardhat";
import { createWalletClient, custom } from "viem";
import { buildSignInMessage, IdentityError, signMessage } from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { checkSignIn } from "../../../packages/protocol/signIn/check.ts";
import { parseSignIn } from "../../../packages/protocol/signIn/parse.ts";
import { expectFailure, expectRefusal, identityError } from "../../fixtures/client/identityError.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const consumer = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
const options = {
  address,
  consumer,
  chainId: 84532,
  domain: "app.example:8080",
  uri: "https://app.example:8080/claim?step=1#top",
};
const rules = { chainId: 84532, maxAge: 600, maxClockSkew: 60 };

describe("buildSignInMessage", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "location");
  });

  it("builds a message that the service accepts at once", () => {
    const inLowerCase = { address: address.toLowerCase(), consumer: consumer.toLowerCase() };
    expect(
      buildSignInMessage({ ...options, ...inLowerCase, nonce: "12345678", issuedAt: new Date(0) }),
    ).to.equal(buildSignInMessage({ ...options, nonce: "12345678", issuedAt: new Date(0) }));
    const parsed = parseSignIn(buildSignInMessage(options));
    expect(parsed).to.include({ domain: options.domain, uri: options.uri, address });
    expect(checkSignIn(parsed, rules, new Date())).to.deep.equal({
      wallet: address,
      chainId: 84532,
      consumer,
    });
  });

  it("takes hosts and URIs of any form of RFC 3986", () => {
    for (const domain of [
      "localhost",
      "127.0.0.1",
      "[2001:DB8::1]:8080",
      "ann:x@a%2Db.example",
      "a~!$&'()*+,;=.c",
    ]) {
      expect(parseSignIn(buildSignInMessage({ ...options, domain })).domain).to.equal(domain);
    }
    for (const uri of [
      "app+x.y-z1://host",
      "HTTPS://a.example:/a:@/%7E?q=/?@#f?/@",
      "https://ann@[::1]:80/a",
    ]) {
      expect(parseSignIn(buildSignInMessage({ ...options, uri })).uri).to.equal(uri);
    }
  });

  it("writes the given times and nonce", () => {
    const times = {
      issuedAt: new Date("2031-01-02T03:04:05.678Z"),
      expirationTime: new Date("9999-12-31T23:59:59.999Z"),
      notBefore: new Date(0),
    };
    const given = { ...times, nonce: "abcdefgh", chainId: 1 };
    expect(parseSignIn(buildSignInMessage({ ...options, ...given }))).to.deep.include(given);
  });

  it("names the argument that is too long for a message of 4,096 bytes", async () => {
    const long = "a".repeat(4_000);
    for (const [argument, value] of [
      ["uri", `https://app.example/${long}`],
      ["nonce", long],
    ] as const) {
      const wanted = `short enough for a message of 4096 bytes, got "${value.slice(0, 80)}…"`;
      await expectRefusal(() => buildSignInMessage({ ...options, [argument]: value }), argument, wanted);
    }
  });

  it("makes another nonce of 128 random bits for each message", () => {
    const nonces = Array.from({ length: 50 }, () => parseSignIn(buildSignInMessage(options)).nonce);
    expect(new Set(nonces).size).to.equal(50);
    for (const nonce of nonces) expect(nonce).to.match(/^[0-9a-f]{32}$/);
  });

  it("reads domain and URI from its page, without the page's query", () => {
    Object.assign(globalThis, { location: new URL("https://page.example:8443/claim?session=secret") });
    const { domain, uri, ...rest } = options;
    const parsed = parseSignIn(buildSignInMessage(rest));
    expect(parsed).to.include({ domain: "page.example:8443", uri: "https://page.example:8443" });
  });

  it("says what is missing where the platform has no random numbers, such as React Native", () => {
    const { crypto } = globalThis;
    Object.defineProperty(globalThis, "crypto", { configurable: true, value: undefined });
    try {
      expect(() => buildSignInMessage(options))
        .to.throw(IdentityError, "pass a nonce, or load react-native-get-random-values.")
        .with.property("argument", "nonce");
      expect(buildSignInMessage({ ...options, nonce: "12345678" })).to.include("12345678");
    } finally {
      Object.defineProperty(globalThis, "crypto", { configurable: true, value: crypto });
    }
  });

  it("builds a valid message of any arguments that it does not refuse", async () => {
    const text = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.webAuthority({ withPort: true, withUserInfo: true, withIPv4: true, withIPv6: true }),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."aZ0.-:/?#[]@!$%~_ é\n|") }),
      fc.string({ unit: fc.constantFrom(..."aZ0.-:/?#[]@!$%~_ é\n|") }).map((rest) => `https://${rest}`),
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.stringMatching(/^[a-z0-9]{7,10}$/),
        fc.date(),
        async (domain, uri, nonce, issuedAt) => {
          let message: string;
          try {
            message = buildSignInMessage({ ...options, domain, uri, nonce, issuedAt });
          } catch (error) {
            expect(error).to.include({ code: "client_invalid_argument" });
            return;
          }
          expect(parseSignIn(message)).to.deep.include({ domain, uri, nonce, issuedAt });
        },
      ),
      { numRuns: 500 },
    );
  });

  const [wallet, time] = ["an address (0x and 40 hex digits)", "a Date from 1970 to 9999"];
  const [miscast, host] = ["an address with its EIP-55 checksum", "a host such as app.example"];
  const bad: [string, unknown, wanted: string, got?: string][] = [
    ["address", "0x12", wallet],
    ["address", address.replace("f39F", "f39f"), miscast],
    ["consumer", undefined, wallet, "nothing"],
    ["consumer", consumer.replace("0xe7f1", "0xE7f1"), miscast],
    ["chainId", 0, "a positive integer", "0"],
    ["chainId", "84532", "a positive integer"],
    ["domain", undefined, host, "nothing"],
    ["domain", ["app.example"], host, "an array"],
    ["domain", "app.example\nURI: https://other.example", host],
    ["uri", "/claim", "a URI such as https://app.example/claim"],
    ["uri", ["https://app.example"], "a URI such as https://app.example/claim", "an array"],
    ["nonce", "abcdefg", "8 or more letters and digits"],
    ["nonce", "abcdefgh ", "8 or more letters and digits"],
    ["issuedAt", new Date("never"), time, "an object of class Date"],
    ["issuedAt", 0, time, "0"],
    ["issuedAt", new Date(-1), time, "an object of class Date"],
    ["expirationTime", "2031-01-02T03:14:05Z", time],
    ["notBefore", new Date(Date.UTC(10_000, 0)), time, "an object of class Date"],
  ];
  for (const [argument, value, wanted, got = JSON.stringify(value)] of bad) {
    it(`refuses ${JSON.stringify(value)} as ${argument}`, async () => {
      const given = { ...options, [argument]: value } as Parameters<typeof buildSignInMessage>[0];
      await expectRefusal(() => buildSignInMessage(given), argument, `${wanted}, got ${got}`);
    });
  }
});

describe("signMessage", () => {
  it("reports a page without a wallet", async () => {
    for (const wallet of [undefined, null]) {
      const error = await identityError(() => signMessage(wallet as never, { address, message: "Hello" }));
      expect(error).to.include({ code: "client_invalid_argument", argument: "wallet" });
      expect(error.message).to.include("is there a wallet in this browser?");
    }
  });

  it("refuses a message that is no text, without showing it", async () => {
    const { provider: wallet } = await network.create("identityLocal");
    const given = { address, message: 7 as unknown as string };
    await expectRefusal(() => signMessage(wallet, given), "message", "a text");
  });

  it("has the wallet sign exactly the message", async () => {
    const { provider: wallet } = await network.create("identityLocal");
    const message = `${buildSignInMessage(options)} ✓`;
    const signature = await signMessage(wallet, { address, message });
    expect(verifyMessage(message, signature)).to.equal(address);
  });

  it("reports an account that the wallet does not have", async () => {
    const { provider: wallet } = await network.create("identityLocal");
    const error = await identityError(() => signMessage(wallet, { address: consumer, message: "Hello" }));
    expect(error).to.include({ code: "client_rpc_error", action: "show" });
  });

  it("reports the user's rejection", async () => {
    const wallet: Eip1193Connection = {
      async request() {
        throw Object.assign(new Error("No"), { code: 4001 });
      },
    };
    const error = await identityError(() => signMessage(wallet, { address, message: "Hello" }));
    expect(error).to.include({ code: "client_user_rejected", action: "show" });
  });

  it("asks for a signature once, though a client of viem repeats other requests", async () => {
    const asked: string[] = [];
    const injected: Eip1193Connection = {
      async request({ method }) {
        asked.push(method);
        throw Object.assign(new Error("The wallet is busy."), { code: -32_603 });
      },
    };
    const wallet = createWalletClient({ transport: custom(injected) }) as Eip1193Connection;
    const error = await identityError(() => signMessage(wallet, { address, message: "Hello" }));
    expect(error).to.include({ code: "client_rpc_error", rpcCode: -32_603 });
    expect(asked).to.deep.equal(["personal_sign"]);
  });

  it("accepts the empty signature of a contract wallet that has signed on chain", async () => {
    const wallet: Eip1193Connection = { request: async () => "0x" };
    expect(await signMessage(wallet, { address, message: "Hello" })).to.equal("0x");
  });

  it("completes a signature without 0x, as some wallets answer it", async () => {
    const signature = "12".repeat(65);
    const wallet: Eip1193Connection = { request: async () => signature };
    expect(await signMessage(wallet, { address, message: "Hello" })).to.equal(`0x${signature}`);
  });

  for (const answer of [null, "0x123", "signed", "12".repeat(64)]) {
    it(`does not accept ${JSON.stringify(answer)} as a signature`, async () => {
      const wallet: Eip1193Connection = { request: async () => answer };
      const sign = () => signMessage(wallet, { address, message: "Hello" });
      await expectFailure(sign, "client_invalid_response", "The answer to personal_sign cannot be read.");
    });
  }

  describe("holds the signature to the account that was asked for:", () => {
    const message = buildSignInMessage(options);
    const other = new Wallet(`0x${"51".repeat(32)}`);

    /** A wallet on a node that signs with another account, such as after its user has changed it. */
    async function signing(answers: Record<string, unknown>): Promise<Eip1193Connection> {
      const { provider } = await network.create("identityLocal");
      return {
        async request({ method, params }) {
          if (method === "personal_sign") return other.signMessage(message);
          if (answers[method] instanceof Error) throw answers[method];
          return answers[method] ?? provider.request({ method, params: params as unknown[] });
        },
      };
    }

    for (const [what, answers] of [
      ["", {}],
      [" also if the asked one is delegated (EIP-7702)", { eth_getCode: `0xef0100${"12".repeat(20)}` }],
    ] as const) {
      it(`refuses one of another account, and names both,${what}`, async () => {
        const wallet = await signing(answers);
        const wanted = `The wallet signed with ${other.address}, not with ${address}: choose ${address} in the wallet, and sign again.`;
        await expectFailure(() => signMessage(wallet, { address, message }), "client_wrong_account", wanted);
      });
    }

    for (const [what, answers] of [
      ["of a contract wallet's owner (ERC-1271)", { eth_getCode: "0x6001" }],
      ["on another chain, where the account's code is not known", { eth_chainId: "0x1" }],
      ["of a wallet that tells nothing else", { eth_call: new Error("No.") }],
      ["of a chain that cannot recover it", { eth_call: "0x" }],
    ] as const) {
      it(`leaves one ${what} to the service`, async () => {
        const signature = await signMessage(await signing(answers), { address, message });
        expect(signature).to.equal(await other.signMessage(message));
      });
    }

    it("waits five seconds at most for a wallet that does not tell who signed", async () => {
      const timers = holdTimers(5_000);
      let asked = () => {};
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const wallet: Eip1193Connection = {
        async request({ method }) {
          if (method === "personal_sign") return other.signMessage(message);
          asked();
          return new Promise(() => {});
        },
      };
      const signature = signMessage(wallet, { address, message });
      await isAsked;
      await setImmediate();
      timers.end();
      expect(await signature).to.equal(await other.signMessage(message));
    });
  });
});
