import { expect } from "chai";
import { Wallet } from "ethers";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { readMetric } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { cookieOf, postAs, seal, unseal } from "../../fixtures/signer/verifyCookies.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("The verify page's cookies", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  /** The `Set-Cookie` of a challenge, of a session and of a sign-in at a provider. */
  async function setCookies() {
    const visitor = new Visitor(stack.service.url);
    const { headers, body } = await visitor.post("message", { wallet: visitor.wallet.address });
    const linked = await visitor.act("link", { signature: await visitor.wallet.signMessage(body.message) });
    const [session = ""] = linked.headers.getSetCookie();
    const started = await visitor.act("prove", { provider: "microblog", query: "" });
    return [...headers.getSetCookie(), session, ...started.headers.getSetCookie()];
  }

  const walletWith = async (cookie: string) => {
    const response = await fetch(`${stack.service.url}/verify/overview`, { headers: { cookie } });
    expect(response.status).to.equal(200);
    return ((await response.json()) as { wallet?: string }).wallet;
  };

  it("are HttpOnly, SameSite=Lax and short-lived", async () => {
    const [challenge = "", session = "", proof = ""] = await setCookies();
    const attributes = (seconds: number) =>
      `=[\\w.-]+; Max-Age=${seconds}; Path=/; Expires=[^;]+; HttpOnly; SameSite=Lax$`;
    expect(challenge).to.match(new RegExp(`^identity-challenge-[\\da-f]{8}${attributes(600)}`));
    expect(session).to.match(new RegExp(`^identity-session${attributes(1800)}`));
    expect(proof).to.match(new RegExp(`^identity-proof-[\\da-f]{8}${attributes(900)}`));
  });

  it("are Secure and bound to the host on https", async () => {
    const pageUrl = "https://id.example/verify";
    const { service } = await serveVerifyPage({ IDENTITY_VERIFY_URL: pageUrl });
    const visitor = new Visitor(service.url);
    visitor.origin = "https://id.example";
    const { headers } = await visitor.post("message", { wallet: visitor.wallet.address });
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).to.match(/^__Host-identity-challenge-[\da-f]{8}=[^;]+; Max-Age=600; Path=\/;.*; Secure;/);
    expect(cookie).not.to.match(/domain/i);
  });

  it("reveal nothing to anybody who reads them", async () => {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    await visitor.prove("microblog", { action: "pick", pick: "9007199254740993" });
    expect((await visitor.overview()).body.proof).to.include({ accountName: "Carol" });
    const all = visitor.browser.cookies(new URL(stack.service.url));
    // The sandbox is on the same host.
    const cookies = (all.match(/identity-[\w-]+=[^;]+/g) ?? []).join(";");
    expect(cookies).to.match(/identity-session=.*identity-proof-|identity-proof-.*identity-session=/);
    const bytes = cookies.split(/[.;=]/).map((part) => Buffer.from(part, "base64url").toString("latin1"));
    for (const secret of [visitor.wallet.address, "9007199254740993", "Carol", "followers", "microblog"]) {
      expect(bytes.join("\n")).not.to.include(secret);
      expect(cookies).not.to.include(secret);
    }
  });

  it("expire after their time", async () => {
    const content = { id: "a", wallet: "0x0000000000000000000000000000000000000001" };
    const now = Math.floor(Date.now() / 1000);
    expect(await walletWith(await seal(stack.service, "session", content))).to.equal(content.wallet);
    const past = await seal(stack.service, "session", content, { exp: now - 1 });
    expect(await walletWith(past)).to.equal(undefined);
    const endless = await seal(stack.service, "session", content, { exp: "never" });
    expect(await walletWith(endless)).to.equal(undefined);
    const foreign = await seal(stack.service, "session", content, { key: new Uint8Array(32) });
    expect(await walletWith(foreign)).to.equal(undefined);
    const own = await seal(stack.service, "session", content);
    const changed = own.slice(0, -4) + (own.endsWith("AAAA") ? "BBBB" : "AAAA");
    expect(await walletWith(changed)).to.equal(undefined);
    expect(await walletWith("identity-session=x")).to.equal(undefined);
  });

  it("cannot replace one another", async () => {
    const content = { id: "a", wallet: "0x0000000000000000000000000000000000000001" };
    const proof = await seal(stack.service, "proof", content);
    expect(await walletWith(proof.replace("proof", "session"))).to.equal(undefined);
  });

  it("get a new session id with every wallet that signs in", async () => {
    const visitor = new Visitor(stack.service.url);
    const idNow = async () => (await unseal(stack.service, visitor, "session")).id;
    await visitor.signIn();
    const before = await idNow();
    await visitor.signIn();
    expect(before).to.be.a("string");
    expect(await idNow()).not.to.equal(before);
  });

  /** How often the service has read the epoch, without which it opens no cookie. */
  const epochReads = async () =>
    (await readMetric(
      stack.url,
      'identity_store_call_duration_seconds_count{operation="sessionEpoch",outcome="done"}',
    )) ?? 0;

  /** Hundreds of cookies that look like the service's. */
  const many = (name: string) => Array.from({ length: 650 }, (_, i) => `identity-${name}-${i}=`).join(";");

  for (const path of ["message", "link", "prove", "keep", "discard", "erase", "sign-out"]) {
    it(`are opened with one read of the store at ${path}, though there are hundreds`, async () => {
      const before = await epochReads();
      const wallet = Wallet.createRandom().address;
      const body = { wallet, signature: "0x", proof: "a", provider: "microblog", query: "" };
      for (const name of ["session", "challenge", "proof"]) {
        const { status } = await postAs(many(name), stack.url, path, body);
        expect(status).to.be.lessThan(500);
      }
      expect((await epochReads()) - before).to.be.at.most(3);
    });
  }

  for (const path of ["overview", "callback/microblog?state=a&code=b", "callback/microblog?error=a"]) {
    it(`are opened with one read of the store at ${path}, though there are hundreds`, async () => {
      const before = await epochReads();
      for (const name of ["session", "proof"]) {
        const headers = { cookie: many(name) };
        const { status } = await fetch(`${stack.url}/verify/${path}`, { headers, redirect: "manual" });
        expect(status).to.be.lessThan(400);
      }
      expect((await epochReads()) - before).to.be.at.most(2);
    });
  }

  it("are found among hundreds that others have set, if they are the newest", async () => {
    const content = { id: "a", wallet: "0x0000000000000000000000000000000000000001" };
    const own = await seal(stack.service, "session", content);
    expect(await walletWith(`${many("session")}; ${own}`)).to.equal(content.wallet);
  });

  it("have a contract wallet asked a few times at most, however many messages wait for its signature", async () => {
    const proxy = await serveProxy(stack.rpcUrl);
    const { url, verifyUrl, config } = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    const wallet = await stack.registryContract.getAddress();
    const issuedAt = new Date().toISOString();
    const sealed = Array.from({ length: 20 }, async (_, i) => {
      const cookie = await seal({ verifyUrl, config }, "challenge", {
        wallet,
        nonce: `nonce-${i}`,
        issuedAt,
      });
      return cookie.replace("identity-challenge", `identity-challenge-${i}`);
    });
    const cookies = (await Promise.all(sealed)).join(";");
    proxy.batches.length = 0;
    const answer = await postAs(cookies, url, "link", { wallet, signature: `0x${"11".repeat(65)}` });
    expect(answer.status).to.equal(400);
    const asked = proxy.batches.filter((batch) => batch.includes("eth_call")).length;
    expect(asked).to.be.within(1, 5);
  });

  it("show a proven account in its session alone", async () => {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    await visitor.prove("microblog", { action: "pick", pick: "1001" });
    const [session, proof] = [cookieOf(visitor, "session"), String(cookieOf(visitor, "proof"))];
    const { id } = await unseal(stack.service, visitor, "session");
    const stranger = new Visitor(stack.service.url);
    await stranger.signIn();

    async function proofIn(cookie: string | undefined): Promise<object | undefined> {
      const headers = { cookie: `${cookie}; ${proof}` };
      const response = await fetch(`${stack.service.url}/verify/overview`, { headers });
      return ((await response.json()) as { proof?: object }).proof;
    }
    expect(await proofIn(session)).to.include({ step: "proven" });
    expect(await proofIn(cookieOf(stranger, "session"))).to.equal(undefined);
    const otherSession = { id: "another", wallet: visitor.wallet.address };
    expect(await proofIn(await seal(stack.service, "session", otherSession))).to.equal(undefined);
    const otherWallet = { id, wallet: stranger.wallet.address };
    expect(await proofIn(await seal(stack.service, "session", otherWallet))).to.equal(undefined);
    expect(await proofIn(await seal(stack.service, "session", { id }))).to.equal(undefined);
  });

  it("of a proven account are gone when another wallet signs in, and when the person signs out", async () => {
    const visitor = new Visitor(stack.service.url);
    const proveAnew = async () => {
      await visitor.signIn();
      await visitor.prove("microblog", { action: "pick", pick: "1001" });
      expect(cookieOf(visitor, "proof")).to.be.a("string");
    };
    await proveAnew();
    await visitor.signIn();
    expect(cookieOf(visitor, "proof")).to.equal(undefined);
    await proveAnew();
    await visitor.act("sign-out");
    expect(cookieOf(visitor, "proof")).to.equal(undefined);
    expect(cookieOf(visitor, "session")).to.equal(undefined);
  });
});
