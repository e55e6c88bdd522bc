import { expect } from "chai";
import { ChainUnavailableError, connectChain } from "../../chain/connect.ts";
import { isLocalNode } from "../../chain/localNode.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("isLocalNode", () => {
  /** What is found out of a development node behind a proxy that answers everything with a status. */
  async function askBehind(status: number): Promise<boolean> {
    const { rpcUrl } = await serveLocalChain();
    const proxy = await serveProxy(rpcUrl, { respond: (response) => response.writeHead(status).end() });
    return isLocalNode(connectChain({ url: proxy.url, chainId: 84532 }).open());
  }

  it("takes a refusal for the word of another node: it has no such method", async () => {
    expect(await askBehind(403)).to.equal(false);
  });

  for (const status of [429, 500]) {
    it(`does not know when the node answers HTTP ${status}, and says so`, async () => {
      expect(await rejection(askBehind(status))).to.be.instanceOf(ChainUnavailableError);
    });
  }
});
