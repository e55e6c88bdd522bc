import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { findVerifyPage } from "../../../packages/verify-page/bundle.ts";
import { typefaceFile, typefaceHead } from "../../../packages/verify-page/html/typeface.ts";
import { brandDocument } from "../../../packages/verify-page/server/brand.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { guardedAnswer, guardedPage, wholeHead } from "../../fixtures/wholeHead.ts";

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

  it("comes whole, with its security headers, and loads no script or style of its own", async () => {
    const page = await fetch(`${stack.service.url}/verify`);
    const html = await page.text();
    expect(page.status).to.equal(200);
    expect(wholeHead(page)).to.deep.equal({
      ...guardedPage(stack.rpcUrl),
      "cache-control": "no-store",
      "content-encoding": "gzip",
      "content-type": "text/html; charset=utf-8",
      vary: "Accept-Encoding",
    });
    const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(html) ?? [];
    const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, content = ""]) => content);
    const markup = [script, ...styles]
      .reduce((rest, part) => rest.replace(part, ""), html)
      // The typeface: without it, the page has the system's font.
      .replace(` href="verify/${typefaceFile}" as="font"`, "");
    expect(markup).not.to.match(/\s(src|href)="(?!data:)|\sstyle=|\son\w+=|<script [^>]*\ssrc=/);
    const policy = page.headers.get("content-security-policy");
    expect(styles).to.have.length(2);
    for (const content of [script, ...styles]) {
      expect(content.length).to.be.above(500);
      expect(policy).to.include(`'sha256-${createHash("sha256").update(content).digest("base64")}'`);
    }
    for (const path of ["/verify/assets/", "/verify/index.html", "/verify/%2e%2e/index.html"]) {
      expect((await fetch(stack.service.url + path)).status, path).to.be.within(400, 404);
    }
  });

  it("has a typeface that browsers keep, whose name changes with its content, and that is under 40 kB", async () => {
    const answer = await fetch(`${stack.service.url}/verify/${typefaceFile}`);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(wholeHead(answer)).to.deep.equal({
      ...guardedAnswer,
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "font/woff2",
    });
    expect(body.length).to.be.within(1_000, 40_000);
    expect(body.subarray(0, 4).toString()).to.equal("wOF2");
    expect(typefaceFile).to.include(createHash("sha256").update(body).digest("hex").slice(0, 8));
    const licence = new URL("../../../packages/verify-page/html/typeface/LICENSE.txt", import.meta.url);
    expect(readFileSync(licence, "utf8")).to.include("SIL OPEN FONT LICENSE Version 1.1");
  });

  it("is small: under 40 kB of script, which is served compressed to browsers that accept that", async () => {
    const verify = await findVerifyPage();
    const built = brandDocument(readFileSync(join(verify, "index.html"), "utf8"), undefined);
    const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(built) ?? [];
    const get = (encodings: string) =>
      rawGet(`${stack.service.url}/verify`, { "accept-encoding": encodings });
    for (const [encoding, pack, unpack] of [
      ["br", brotliCompressSync, brotliDecompressSync],
      ["gzip", gzipSync, gunzipSync],
    ] as const) {
      const { headers, body } = await get(`${encoding}, deflate`);
      expect(headers).to.include({ "content-encoding": encoding, vary: "Accept-Encoding" });
      expect(unpack(body).toString()).to.equal(built);
      expect(pack(script).length, encoding).to.be.within(1_000, 40_000);
      const typeface = pack(built).length - pack(built.replace(typefaceHead("verify/"), "")).length;
      expect(typeface, encoding).to.be.within(1, 500);
      expect(body.length - typeface, encoding).to.be.below(43_000);
    }
    for (const encodings of ["", "identity", "br;q=0, gzip;q=0"]) {
      const { headers, body } = await get(encodings);
      expect(headers["content-encoding"], encodings).to.equal(undefined);
      expect(body.toString()).to.equal(built);
    }
  });
});
