import { expect } from "chai";
import { serveNode } from "../../../packages/dev/internal/serveNode.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";

describe("The node that a test's service reaches over HTTP", () => {
  async function served() {
    const asked: string[] = [];
    const node = {
      async request({ method }: { method: string }) {
        asked.push(method);
        if (method === "eth_call") throw Object.assign(new Error("reverted"), { code: 3, data: "0x12" });
        return "0x1";
      },
    };
    const { url, close } = await serveNode(node);
    onCleanup(close);
    const post = (body: string, headers: Record<string, string>) =>
      fetch(url, { method: "POST", headers, body });
    return { asked, url, post, port: Number(new URL(url).port) };
  }

  const json = { "content-type": "application/json" };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params: [] });

  it("answers single requests and batches", async () => {
    const { post, asked } = await served();
    expect(await (await post(call, json)).json()).to.deep.equal({ jsonrpc: "2.0", id: 1, result: "0x1" });
    expect(await (await post(`[${call},${call}]`, json)).json()).to.have.length(2);
    expect(asked).to.have.length(3);
    const refused = await post(call.replace("eth_sendTransaction", "eth_call"), json);
    const error = { code: 3, message: "reverted", data: "0x12" };
    expect(await refused.json()).to.deep.equal({ jsonrpc: "2.0", id: 1, error });
  });

  it("does nothing for a page in the developer's browser", async () => {
    const { post, port, asked } = await served();
    // Browsers send these types to other sites without a preflight.
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      expect((await post(call, { "content-type": type })).status).to.equal(403);
    }
    const withOrigin = await post(call, { ...json, origin: "https://page.example" });
    expect(withOrigin.status).to.equal(403);
    // A page whose name has been made to stand for this machine.
    const rebound = `POST / HTTP/1.1\r\nHost: page.example:${port}\r\nContent-Type: application/json\r\nContent-Length: ${call.length}\r\nConnection: close\r\n\r\n${call}`;
    expect(await sendRaw(port, rebound)).to.include("403");
    expect(asked).to.deep.equal([]);
  });

  it("keeps running after a body that is not JSON-RPC", async () => {
    const { post, asked } = await served();
    for (const body of ["", "{", "null", "7", "[null]"]) {
      expect((await post(body, json)).status, body).to.equal(400);
    }
    expect(asked).to.deep.equal([]);
    expect((await post(call, json)).status).to.equal(200);
  });
});
