import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import { contentOf, readAudit } from "../../fixtures/signer/audit.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { serveVerifyPage, startOwnStack } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

/** A trail's entries whose event begins with the text. */
const entriesOf = async (databaseUrl: string, masterSecret: string, event: string) =>
  (await readAudit({ databaseUrl, masterSecret }))
    .filter((entry) => entry.event.startsWith(event))
    .map(contentOf);

describe("A change that a request over HTTP makes", () => {
  it("is entered with the request's id if somebody stores, replaces or erases an account", async () => {
    const { service } = await serveVerifyPage();
    const visitor = new Visitor(service.url);
    const wallet = visitor.wallet.address;
    await visitor.signIn();
    const requestIds: unknown[] = [];
    for (const pick of ["1001", "1002"]) {
      await visitor.prove("microblog", { action: "pick", pick });
      requestIds.push((await visitor.act("keep")).headers.get("x-request-id"));
    }
    requestIds.push((await visitor.act("erase", { provider: "microblog" })).headers.get("x-request-id"));
    const entries = await entriesOf(service.config.databaseUrl, development.masterSecret, "credential");
    const about = { wallet, provider: "microblog" };
    expect(entries).to.deep.equal([
      { event: "credential-set", ...about, requestId: requestIds[0] },
      { event: "credential-replaced", ...about, requestId: requestIds[1] },
      { event: "credential-erased", ...about, requestId: requestIds[2] },
    ]);
    expect(new Set(requestIds).size).to.equal(3);
  });

  it("is entered with the request's id if a contract is pinned or its cutoff rises", async () => {
    const masterSecret = hexlify(randomBytes(32));
    const stack = await startOwnStack({ IDENTITY_MASTER_SECRET: masterSecret });
    const { consumer, wallet, address } = await stack.participate();
    const ask = async () => {
      const { response } = await requestVerification(stack.url, await signedRequest(wallet, address));
      return response.headers.get("x-request-id");
    };
    const first = await ask();
    await (await consumer.getFunction("setCutoffBlock")(1)).wait();
    const second = await ask();
    const { databaseUrl } = stack.service.config;
    const entries = await entriesOf(databaseUrl, masterSecret, "pin");
    expect(entries).to.have.length(2);
    expect(entries[0]).to.include({ event: "pin-made", consumer: address, requestId: first });
    expect(entries[1]).to.include({ event: "pin-raised", consumer: address, requestId: second });
    // The test's own store wrote this entry, as a command would, so it has no request id.
    const [stored] = await entriesOf(databaseUrl, masterSecret, "credential");
    expect(stored).to.deep.equal({ event: "credential-set", wallet: wallet.address, provider: "microblog" });
  });
});
