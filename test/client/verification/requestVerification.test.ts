import { expect } from "chai";
import {
  buildSignInMessage,
  encodeCall,
  identityErrorActions,
  isIdentityUsed,
  readDiscovery,
  requestVerification,
  sendCall,
  signMessage,
  waitForReceipt,
} from "../../../packages/client/index.ts";
import { checksumAddress } from "../../../packages/protocol/address.ts";
import { serviceErrors } from "../../../packages/protocol/errors.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { expectRefusal, identityError } from "../../fixtures/client/identityError.ts";
import { skipPauses } from "../../fixtures/client/pauses.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

const redirectUri = "https://app.example/claim?step=2&tab=one";

describe("The client, with a service,", () => {
  let service: Awaited<ReturnType<typeof startStack>>;

  before(async () => {
    service = await startStack();
  });

  /** A signed message of an account that the default consumer would admit. */
  async function fixture(
    options: {
      policy?: Parameters<typeof service.deployConsumer>[0];
      traits?: Record<string, string> | undefined;
      authenticatedAt?: number;
    } = {},
    at = service,
  ) {
    const { traits = { followers: "1200" } } = options;
    const contract = await at.deployConsumer(options.policy);
    const consumer = await contract.getAddress();
    const address = at.user;
    await at.setCredential(address, traits, options.authenticatedAt);
    const sign = async (fields: Partial<Parameters<typeof buildSignInMessage>[0]> = {}) => {
      const message = buildSignInMessage({
        address,
        consumer,
        chainId: 84532,
        domain: "app.example",
        uri: "https://app.example/claim",
        ...fields,
      });
      return { message, signature: await signMessage(at.wallet, { address, message }) };
    };
    const request = async (extra: { baseUrl?: string; signal?: AbortSignal } = {}) =>
      requestVerification({ baseUrl: at.url, redirectUri, ...(await sign()), ...extra });
    return { contract, consumer, address, sign, request };
  }

  it("gets a verification that the consumer accepts", async () => {
    const { consumer, address, request } = await fixture();
    const verification = await request();
    expect(verification).to.have.all.keys("identityHash", "expiration", "signature");

    const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
    const data = encodeCall({ abi, verification });
    const hash = await sendCall(service.wallet, { from: address, chainId: 84532, to: consumer, data });
    await waitForReceipt(service.wallet, { hash, interval: 10 });
    const { identityHash } = verification;
    expect(await isIdentityUsed(service.wallet, { consumer, identityHash, block: "latest" })).to.equal(true);
  });

  // Every code is answered, by a server of the test's own, in askService.test.ts.
  describe("hands on a refusal of the service with its code and action:", () => {
    const provoke: Record<string, () => Promise<unknown>> = {
      async verification_not_found() {
        const { sign } = await fixture();
        const address = service.stranger;
        const { message } = await sign({ address });
        const signature = await signMessage(service.wallet, { address, message });
        return requestVerification({ baseUrl: service.url, redirectUri, message, signature });
      },
      async needs_reauth() {
        const { contract, request } = await fixture({ authenticatedAt: 1_000_000 });
        await (await contract.getFunction("setCutoffBlock")(1)).wait();
        return request();
      },
    };

    for (const [code, run] of Object.entries(provoke)) {
      it(code, async () => {
        skipPauses();
        const error = await identityError(run);
        const known = code as keyof typeof serviceErrors;
        expect(error.code, error.message).to.equal(code);
        expect(error.action).to.equal(identityErrorActions[known]);
        expect(error.status).to.equal(serviceErrors[known].status);
        expect(error.requestId).to.be.a("string").and.not.equal("");
        const { origin, searchParams } = new URL(error.verifyUrl ?? "");
        expect(origin).to.equal(service.url);
        const { since, ...asked } = Object.fromEntries(searchParams);
        expect(asked).to.deep.equal({
          providers: "microblog",
          wallet: checksumAddress(code === "needs_reauth" ? service.user : service.stranger),
          redirect_uri: redirectUri,
        });
        expect(since === undefined).to.equal(code !== "needs_reauth");
      });
    }

    it("and sends the user back where the app says, whatever the service's URL says", async () => {
      const body = {
        code: "verification_not_found",
        verifyUrl:
          "https://verify.example/verify?redirect_uri=https%3A%2F%2Fother.example&since=7&redirect_uri=b#top",
      };
      const { url: baseUrl } = await serveHttp((_request, response) => {
        response.writeHead(404).end(JSON.stringify(body));
      });
      const ask = () => requestVerification({ baseUrl, redirectUri, message: "Hello", signature: "0x12" });
      const url = new URL((await identityError(ask)).verifyUrl ?? "");
      expect(url.searchParams.getAll("redirect_uri")).to.deep.equal([redirectUri]);
      expect([url.searchParams.get("since"), url.hash]).to.deep.equal(["7", "#top"]);
    });

    it("and sends the user back to the page that asks, if the verify page can return to it", async () => {
      const { sign } = await fixture();
      const address = service.stranger;
      const { message } = await sign({ address });
      const signature = await signMessage(service.wallet, { address, message });
      const ask = () => requestVerification({ baseUrl: service.url, message, signature });
      const long = `https://page.example/${"a".repeat(2_400 - encodeURIComponent("https://page.example/").length)}`;
      const pages = ["https://page.example/claim?step=3", "http://localhost:5173/", long];
      const others = [
        "capacitor://localhost/claim",
        "tauri://localhost",
        "file:///opt/app/index.html",
        "about:blank",
        "chrome-extension://abcdefghijklmnop/popup.html",
        "https://user@page.example/",
        `${long}a`,
        "",
      ];
      try {
        for (const href of [...pages, ...others]) {
          Object.assign(globalThis, { location: { href } });
          const { searchParams } = new URL((await identityError(ask)).verifyUrl ?? "");
          expect(searchParams.get("redirect_uri"), href).to.equal(pages.includes(href) ? href : null);
        }
        const page = "https://page.example/app";
        const secrets = [
          "#access_token=1",
          "#/reset/7f3a9b",
          "#/claim?token=1",
          "#/a/b=c",
          "#top",
          "#/claim#x",
          "#/",
        ];
        for (const fragment of ["", "#/claim", "#!/rounds/7/claim/", ...secrets]) {
          Object.assign(globalThis, { location: { href: page + fragment } });
          const { searchParams } = new URL((await identityError(ask)).verifyUrl ?? "");
          const kept = secrets.includes(fragment) ? "" : fragment;
          expect(searchParams.get("redirect_uri"), fragment).to.equal(page + kept);
        }
        // In a worker, the location is the script's.
        Object.assign(globalThis, { WorkerGlobalScope: class {}, location: { href: `${page}/worker.js` } });
        const { searchParams } = new URL((await identityError(ask)).verifyUrl ?? "");
        expect(searchParams.get("redirect_uri")).to.equal(null);
      } finally {
        Reflect.deleteProperty(globalThis, "location");
        Reflect.deleteProperty(globalThis, "WorkerGlobalScope");
      }
    });
  });

  describe("asks again where that helps:", () => {
    async function proxied() {
      const proxy = await serveProxy(service.url);
      const { request } = await fixture();
      return {
        proxy,
        ask: (signal?: AbortSignal) => request({ baseUrl: proxy.url, ...(signal && { signal }) }),
      };
    }

    for (const [fault, shortest] of [
      ["disconnect", [500, 1_000]],
      ["unavailable", [0, 0]],
      ["busy", [0, 0]],
    ] as const) {
      it(`after "${fault}", and after a pause of ${shortest.join(" and ")} ms or up to a quarter more`, async () => {
        const { proxy, ask } = await proxied();
        const pauses = skipPauses();
        proxy.faults.push(fault, fault);
        expect((await ask()).expiration).to.be.a("number");
        expect(proxy.countRequests()).to.equal(3);
        expect(pauses).to.have.length(2);
        for (const [i, pause] of pauses.entries()) {
          expect(pause).to.be.within(shortest[i] ?? 0, (shortest[i] ?? 0) * 1.25);
        }
      });
    }

    it("but not once the signal has aborted: during a request, between two, or during the last", async function () {
      // Less than what one request may take, without the signal.
      this.timeout(10_000);
      for (const faults of [["hang"], ["unavailable"], ["unavailable", "unavailable", "hang"]] as const) {
        const { proxy, ask } = await proxied();
        proxy.faults.push(...faults, "hang");
        const reason = new Error("The user left.");
        const abort = new AbortController();
        const asking = ask(abort.signal).catch((error) => error);
        while (proxy.faults.length > 1) await new Promise(setImmediate);
        abort.abort(reason);
        expect(await asking).to.equal(reason);
      }
    });
  });

  describe("before anything is sent", () => {
    const good = { baseUrl: "http://127.0.0.1:9", message: "Hello", signature: "0x12" };
    const page = "an https URL that the verify page can return to; it ";
    // Message and signature are never shown.
    const bad: [string, unknown, wanted: string][] = [
      ["baseUrl", undefined, "the http(s) URL of the service, got nothing"],
      ["baseUrl", [good.baseUrl], "the http(s) URL of the service, got an array"],
      ...["verify.example", "ftp://verify.example", " https://verify.example", "https://"].map(
        (url): [string, string, string] => ["baseUrl", url, `the http(s) URL of the service, got "${url}"`],
      ),
      ["message", undefined, "a text"],
      ["signature", undefined, "bytes as hex after 0x"],
      ["signature", "12", "bytes as hex after 0x"],
      ["signature", "0xabcdefabcde", "bytes as hex after 0x"],
      ["signature", ["0x12"], "bytes as hex after 0x"],
      ["redirectUri", "/claim", `${page}is not an https URL, got "/claim"`],
      ["redirectUri", "capacitor://localhost", `${page}is not an https URL, got "capacitor://localhost"`],
      [
        "redirectUri",
        "https://user@app.example/",
        `${page}contains a user name, got "https://user@app.example/"`,
      ],
      [
        "redirectUri",
        "https://app.example/ ",
        `${page}contains a space, backslash or control character, got "https://app.example/ "`,
      ],
      [
        "redirectUri",
        "https://app.example/\ud800?a",
        `${page}has half of a surrogate pair, got "https://app.example/\\ud800?a"`,
      ],
      ["redirectUri", "xhttps://app.example/", `${page}is not an https URL, got "xhttps://app.example/"`],
      ["redirectUri", "https://[", `${page}is not an https URL, got "https://["`],
      ["redirectUri", 7, `${page}is missing, got 7`],
    ];
    for (const [argument, value, wanted] of bad) {
      it(`refuses ${JSON.stringify(value)} as ${argument}`, async () => {
        const options = { ...good, [argument]: value } as typeof good;
        await expectRefusal(() => requestVerification(options), argument, wanted);
      });
    }
  });

  describe("readDiscovery", () => {
    it("reads the service's own document", async () => {
      const { url: baseUrl, registry } = service;
      const discovery = await readDiscovery({ baseUrl });
      expect(discovery).to.include({ endpoint: `${baseUrl}/v1/onchain_verifications`, lifetime: 300 });
      expect(discovery.chains.map((chain) => chain.registry)).to.deep.equal([registry]);
      expect(discovery.providers.microblog?.conditions.followers?.operators).to.include("gt");
    });
  });
});
