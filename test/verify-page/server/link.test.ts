import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type BaseContract, hashMessage, Signature, Wallet } from "ethers";
import { buildSignInMessage } from "../../../packages/protocol/signIn/build.ts";
import { parseSignIn } from "../../../packages/protocol/signIn/parse.ts";
import { statement } from "../../../packages/protocol/signIn/statement.ts";
import { deploy } from "../../fixtures/chain/localChain.ts";
import { deploySafeContracts, planSafe, signOnChain, wrap } from "../../fixtures/chain/safe.ts";
import { requestVerification } from "../../fixtures/signer/signIn.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { cookieOf, postAs, seal, unseal } from "../../fixtures/signer/verifyCookies.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("Linking a wallet", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });
  const visit = (wallet?: ConstructorParameters<typeof Visitor>[1]) => new Visitor(stack.service.url, wallet);

  it("asks for a strict EIP-4361 message of the page's own origin, with a statement of its own", async () => {
    const visitor = visit();
    const text = await visitor.askMessage();
    const message = parseSignIn(text);
    expect(message.domain).to.equal(new URL(stack.service.url).host);
    expect(message.uri).to.equal(`${stack.service.url}/verify`);
    expect(message.address).to.equal(visitor.wallet.address);
    expect(message.chainId).to.equal(84532);
    expect(message.statement).to.be.a("string").and.not.equal(statement);
    expect(message.resources).to.deep.equal([]);
    expect(text).not.to.include("Resources");
    const lifetime = (message.expirationTime?.getTime() ?? 0) - message.issuedAt.getTime();
    expect(lifetime).to.equal(600_000);
  });

  it("names the configured origin, not the Host header's", async () => {
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      origin: stack.service.url,
      "content-type": "application/json",
    };
    const asked = request(`${stack.service.url}/verify/message`, { method: "POST", headers });
    asked.end(JSON.stringify({ wallet: Wallet.createRandom().address }));
    const [response] = await once(asked, "response");
    expect(await text(response))
      .to.include(new URL(stack.service.url).host)
      .and.not.include("evil.example");
  });

  it("keeps the wallet that is signed in while another one's signature is waited for", async () => {
    const visitor = visit();
    await visitor.signIn();
    const other = Wallet.createRandom();
    const { body } = await visitor.post("message", { wallet: other.address });
    expect((await visitor.overview()).body.wallet).to.equal(visitor.wallet.address);
    const signature = await other.signMessage(body.message);
    await visitor.act("link", { wallet: other.address, signature });
    expect((await visitor.overview()).body.wallet).to.equal(other.address);
  });

  async function refusal(visitor: Visitor, signature: string, wallet = visitor.wallet.address) {
    const { status, body } = await visitor.act("link", { wallet, signature });
    expect([status, body.code]).to.be.deep.oneOf([
      [400, "invalid_argument"],
      [401, "not_signed_in"],
    ]);
    expect((await visitor.overview()).body.wallet).to.equal(undefined);
    return body.detail;
  }
  const notSigned = "The signature is not the wallet's over this message.";

  it("refuses a signature over another session's message", async () => {
    const [visitor, attacker] = [visit(), visit()];
    const relayed = await new Visitor(stack.service.url, visitor.wallet).askMessage();
    await attacker.post("message", { wallet: visitor.wallet.address });
    const signature = await visitor.wallet.signMessage(relayed);
    expect(await refusal(attacker, signature, visitor.wallet.address)).to.equal(notSigned);
  });

  it("takes a message of the same browser after newer ones, up to a handful", async () => {
    const visitor = visit();
    const signatures: string[] = [];
    for (let i = 0; i < 8; i++) signatures.push(await visitor.wallet.signMessage(await visitor.askMessage()));
    const [first = "", ...others] = signatures;
    expect(await refusal(visitor, first), "the oldest").to.equal(notSigned);
    const sent = visitor.browser.cookies(new URL(stack.service.url)).match(/identity-challenge[^;]*/g) ?? [];
    expect(sent.join("; ").length).to.be.lessThan(1_600);
    for (const signature of others.slice(-2)) {
      expect((await visitor.act("link", { signature })).status).to.equal(204);
    }
  });

  it("refuses another page's message in our name", async () => {
    const visitor = visit();
    const message = await visitor.askMessage();
    const host = new URL(stack.service.url).host;
    for (const changed of [message.replaceAll(host, "evil.example"), message.replace(host, "evil.example")]) {
      expect(changed).not.to.equal(message);
      expect(await refusal(visitor, await visitor.wallet.signMessage(changed))).to.equal(notSigned);
    }
  });

  it("accepts a message once", async () => {
    const visitor = visit();
    const signature = await visitor.wallet.signMessage(await visitor.askMessage());
    const cookie = visitor.browser.cookies(new URL(`${stack.service.url}/verify`));
    expect((await visitor.act("link", { signature })).status).to.equal(204);
    expect(cookieOf(visitor, "challenge")).to.equal(undefined);
    const shown = { wallet: visitor.wallet.address, signature };
    const again = await postAs(cookie, stack.service.url, "link", shown);
    expect(again.status).to.equal(401);
    expect(await again.json()).to.include({ detail: "This message has been used; ask for a new one." });
    expect(again.headers.getSetCookie()).to.deep.equal([]);
  });

  it("accepts a message once, in whichever form its signature comes", async () => {
    for (const isCompactFirst of [true, false]) {
      const visitor = visit();
      const signature = await visitor.wallet.signMessage(await visitor.askMessage());
      const cookie = visitor.browser.cookies(new URL(`${stack.service.url}/verify`));
      const forms = [Signature.from(signature).compactSerialized, signature];
      const [first, second] = isCompactFirst ? forms : forms.toReversed();
      expect((await visitor.act("link", { signature: first })).status).to.equal(204);
      const again = await postAs(cookie, stack.service.url, "link", {
        wallet: visitor.wallet.address,
        signature: second,
      });
      expect(await again.json()).to.include({ detail: "This message has been used; ask for a new one." });
    }
  });

  it("refuses a signature over a message that has ended", async () => {
    const visitor = visit();
    const message = await visitor.askMessage();
    const challenge = await unseal(stack.service, visitor, "challenge");
    const { issuedAt, expirationTime } = parseSignIn(message);

    /** Signs in with the message as if it had been asked for some minutes ago. */
    async function linkAfter(minutes: number) {
      const earlier = (time: Date) => new Date(time.getTime() - minutes * 60_000).toISOString();
      const signed = message
        .replace(issuedAt.toISOString(), earlier(issuedAt))
        .replace(String(expirationTime?.toISOString()), earlier(expirationTime ?? issuedAt));
      const aged = { ...challenge, issuedAt: earlier(issuedAt) };
      const cookie = await seal(stack.service, "challenge", aged);
      const shown = { wallet: visitor.wallet.address, signature: await visitor.wallet.signMessage(signed) };
      return (await postAs(cookie, stack.service.url, "link", shown)).status;
    }
    expect(await linkAfter(11)).to.equal(401);
    expect(await linkAfter(9)).to.equal(204);
  });

  it("refuses a signature without a message that waits for it", async () => {
    const visitor = visit();
    const signature = await visitor.wallet.signMessage("anything");
    expect(await refusal(visitor, signature)).to.equal(
      "No message is waiting for a signature; ask for a new one.",
    );
  });

  it("never accepts a claim's message to link a wallet", async () => {
    const visitor = visit();
    const { domain, address, uri, chainId, nonce, issuedAt } = parseSignIn(await visitor.askMessage());
    const consumer = visitor.wallet.address;
    const claim = buildSignInMessage({ domain, address, uri, chainId, nonce, issuedAt, consumer });
    expect(await refusal(visitor, await visitor.wallet.signMessage(claim))).to.equal(notSigned);
  });

  it("never accepts a link's message for a claim", async () => {
    const visitor = visit();
    const message = await visitor.askMessage();
    const signature = await visitor.wallet.signMessage(message);
    const { status, body } = await requestVerification(stack.service.url, { message, signature });
    expect(status).to.equal(400);
    expect(body.code).to.equal("invalid_argument");
    expect(body.detail).to.include("statement");
  });

  it("lets no factory sign in as a deployed wallet", async () => {
    const { deployer } = stack;
    const [token, factory] = [
      (await deploy(deployer, "FreeToken")) as BaseContract,
      (await deploy(deployer, "TokenTakingFactory")) as BaseContract,
    ];
    const [owner, thief] = [Wallet.createRandom(), Wallet.createRandom()];
    const tokenAddress = await token.getAddress();
    await (await token.getFunction("take")(owner.address)).wait();
    const wallet = await (await deploy(deployer, "TokenBoundWallet", [tokenAddress])).getAddress();
    const visitor = visit();
    const { body } = await visitor.post("message", { wallet });
    const stolen = factory.interface.encodeFunctionData("takeToken", [tokenAddress, thief.address]);
    const attack = wrap(await factory.getAddress(), stolen, await thief.signMessage(body.message));
    expect(await refusal(visitor, attack, wallet)).to.equal(notSigned);
    const signature = await owner.signMessage(body.message);
    const { status } = await visitor.act("link", { wallet, signature });
    expect(status).to.equal(204);
  });

  it("signs a wallet in that has signed on chain, with the empty signature", async () => {
    const { deployer } = stack;
    const contracts = await deploySafeContracts(deployer);
    const safe = await planSafe(contracts, [deployer.address], 2);
    await safe.deploy();
    const visitor = visit();
    const { body } = await visitor.post("message", { wallet: safe.address });
    expect(await refusal(visitor, "0x", safe.address)).to.equal(notSigned);
    await signOnChain(contracts, safe.address, deployer, hashMessage(body.message));
    const { status } = await visitor.act("link", { wallet: safe.address, signature: "0x" });
    expect(status).to.equal(204);
    expect((await visitor.overview()).body.wallet).to.equal(safe.address);
  });

  it("refuses an invalid signature and an invalid wallet", async () => {
    const visitor = visit();
    await visitor.askMessage();
    expect(await refusal(visitor, "0x")).to.equal(notSigned);
    const wrongChecksum = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    for (const wallet of ["alice.eth", visitor.wallet.address.replace("0x", "0X"), wrongChecksum]) {
      expect((await visitor.post("message", { wallet })).status).to.equal(400);
    }
  });
});
