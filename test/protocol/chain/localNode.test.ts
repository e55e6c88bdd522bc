import { expect } from "chai";
import { type Chain, ChainUnavailableError, connectChain } from "../../../packages/protocol/chain/connect.ts";
import { isLocalNode, watchLocality } from "../../../packages/protocol/chain/localNode.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("isLocalNode", () => {
  /** A node that answers a method with something, and knows no other. */
  const answering = (known: string, answer: unknown) => ({
    async request({ method }: { method: string }) {
      if (method === known) return answer;
      throw Object.assign(new Error("Method not found"), { code: -32601 });
    },
  });

  it("recognizes a local node by an object in answer to either method, and nothing else", async () => {
    for (const method of ["hardhat_metadata", "anvil_nodeInfo"]) {
      expect(await isLocalNode(answering(method, {})), method).to.equal(true);
      for (const answer of [null, undefined, true, "0x", 1]) {
        expect(await isLocalNode(answering(method, answer)), `${method} ${answer}`).to.equal(false);
      }
    }
    expect(await isLocalNode(answering("eth_chainId", {}))).to.equal(false);
  });

  /** Whether a development node is recognised behind a proxy that answers everything with a status. */
  async function askBehind(status: number): Promise<boolean> {
    const { rpcUrl } = await serveLocalChain();
    const proxy = await serveProxy(rpcUrl, { respond: (response) => response.writeHead(status).end() });
    return isLocalNode(connectChain({ url: proxy.url, chainId: 84532 }).open());
  }

  it("treats a node that refuses the method as not local, but not one that a connection of Hardhat's does not reach", async () => {
    expect(await askBehind(403)).to.equal(false);
    for (const away of [new Error("away"), Object.assign(new Error("away"), { code: -1 })]) {
      expect(await rejection(isLocalNode({ request: () => Promise.reject(away) }))).to.equal(away);
    }
  });

  for (const status of [429, 500]) {
    it(`reports that it does not know if the node answers HTTP ${status}`, async () => {
      expect(await rejection(askBehind(status))).to.be.instanceOf(ChainUnavailableError);
    });
  }
});

describe("watchLocality", () => {
  /** A chain that is a local node's or not, or is away, and how often it was asked. */
  function fixture() {
    const node = { answer: {} as unknown, asked: 0 };
    const request = async () => {
      if (node.answer instanceof Error) throw node.answer;
      return node.answer;
    };
    const chain: Chain = {
      open() {
        node.asked++;
        return { request, within: (answer) => answer };
      },
    };
    return { node, isLocal: watchLocality(chain) };
  }

  it("asks once a minute, as another node may have replaced the first", async () => {
    stopTime();
    const { node, isLocal } = fixture();
    expect(await Promise.all([isLocal(), isLocal()])).to.deep.equal([true, true]);
    node.answer = null;
    passTime(59_999);
    expect(await isLocal()).to.equal(true);
    expect(node.asked).to.equal(1);
    passTime(1);
    expect(await isLocal()).to.equal(false);
    expect(node.asked).to.equal(2);
  });

  it("asks again after a failure, however soon", async () => {
    const { node, isLocal } = fixture();
    node.answer = new ChainUnavailableError("The node is down.");
    expect((await rejection(isLocal())).message).to.equal("The node is down.");
    node.answer = {};
    expect(await isLocal()).to.equal(true);
  });
});
