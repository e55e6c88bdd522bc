import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { findBundles } from "../../../web/server/bundles.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { guardedBeside, wholeHead } from "../../fixtures/wholeHead.ts";

/** An answer as it was sent: `fetch` would unpack it. */
async function rawGet(url: string, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

describe("The verify page as it is served", function () {
  this.timeout(30_000);
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  it("comes with its security headers, and its scripts may be kept by the browser", async () => {
    const page = await fetch(`${stack.service.url}/verify`);
    const html = await page.text();
    expect(page.status).to.equal(200);
    const ofAll = guardedBeside(stack.rpcUrl);
    const type = "text/html; charset=utf-8";
    expect(wholeHead(page)).to.deep.equal({ ...ofAll, "cache-control": "no-store", "content-type": type });
    expect(html).not.to.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    const [, script] = /src="(verify\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const asset = await fetch(`${stack.service.url}/${script}`);
    expect(wholeHead(asset)).to.deep.equal({
      ...ofAll,
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "gzip",
      "content-type": "text/javascript; charset=utf-8",
      vary: "Accept-Encoding",
    });
    for (const path of [
      "/verify/assets/",
      "/verify/assets/../index.html",
      "/verify/assets/%2e%2e/index.html",
    ]) {
      expect((await fetch(stack.service.url + path)).status, path).to.be.within(400, 404);
    }
  });

  it("is small: under 40 kB of script, which is served compressed to whoever can read that", async () => {
    const { verify } = await findBundles();
    const folder = join(verify, "assets");
    const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
    expect(scripts).not.to.deep.equal([]);
    const get = (file: string, encodings: string) =>
      rawGet(`${stack.service.url}/verify/assets/${file}`, { "accept-encoding": encodings });
    for (const [encoding, unpack] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      let size = 0;
      for (const file of readdirSync(folder).filter((file) => /\.(js|css)$/.test(file))) {
        const { headers, body } = await get(file, `${encoding}, deflate`);
        expect(headers, file).to.include({ "content-encoding": encoding, vary: "Accept-Encoding" });
        expect(unpack(body).equals(readFileSync(join(folder, file)))).to.equal(true);
        if (file.endsWith(".js")) size += body.length;
      }
      expect(size, encoding).to.be.within(1_000, 40_000);
    }
    const [file = ""] = scripts;
    for (const encodings of ["", "identity", "br;q=0, gzip;q=0"]) {
      const { headers, body } = await get(file, encodings);
      expect(headers["content-encoding"], encodings).to.equal(undefined);
      expect(body.equals(readFileSync(join(folder, file)))).to.equal(true);
    }
  });
});
