import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { contrast, readableAccent } from "../../../packages/verify-page/html/accent.ts";
import { loadPageConfig } from "../../../packages/verify-page/index.ts";
import { readBrand } from "../../../packages/verify-page/server/readBrand.ts";
import { serveVerifyPage, startStack } from "../../fixtures/signer/stack.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";
import { guarded, wholeHead } from "../../fixtures/wholeHead.ts";

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z"/></svg>';
const png = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1");
const webp = Buffer.from("RIFF\x01\n\x03\x04WEBP and so on", "latin1");

/** A brand file, and files beside it. */
async function writeBrand(brand: unknown, files: Record<string, string | Buffer> = { "logo.svg": svg }) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const file = join(folder, "brand.json");
  const isText = typeof brand === "string" || Buffer.isBuffer(brand);
  writeFileSync(file, isText ? brand : JSON.stringify(brand));
  return file;
}

const acme = { name: "Acme <Identity>", logo: "logo.svg", accent: "#FFD400" };

describe("An operator's brand", () => {
  const accept = "text/html";

  async function fixture(brand: unknown, files?: Record<string, string | Buffer>) {
    const { url } = await startStack({ IDENTITY_BRAND: await writeBrand(brand, files) });
    const open = (path: string) => fetch(url + path, { headers: { accept } });
    return { url, open, read: async (path: string) => (await open(path)).text() };
  }

  it("is on the front page and on the page for an unknown path, with name, logo and colour", async () => {
    const { url, open } = await fixture(acme);
    for (const path of ["/", "/lost"]) {
      const answer = await open(path);
      const html = await answer.text();
      expect(html).to.include("<b>Acme &#60;Identity&#62;</b>");
      expect(html).to.include(`<img class="mark" src="${url}/verify/brand/logo" alt="">`);
      expect(html).to.include(`<link rel="icon" href="${url}/verify/brand/logo">`);
      expect(html).to.match(
        /:root\{--accent:#[0-9a-f]{6}\}@media\(prefers-color-scheme:dark\)\{:root\{--accent:#ffd400\}\}/,
      );
      expect(answer.headers.get("content-security-policy")).to.include("img-src data: 'self';");
    }
    expect(await (await open("/")).text()).to.include("<title>Acme &#60;Identity&#62;</title>");
  });

  it("is in the verify page's document, as it was written", async () => {
    const { url } = await serveVerifyPage({ IDENTITY_BRAND: await writeBrand({ ...acme, name: "$&'s" }) });
    const document = await (await fetch(`${url}/verify`)).text();
    for (const part of [
      '<meta name="brand" content="$&#38;&#39;s">',
      '<link rel="icon" href="verify/brand/logo">',
      '<link rel="stylesheet" href="verify/brand/style.css">',
      '<img class="mark own" src="verify/brand/logo" alt="">',
    ])
      expect(document).to.include(part);
  });

  it("leads to the operator's privacy notice from the front page", async () => {
    const privacyUrl = "https://identity.example/privacy?of=verify&page=1";
    const { read } = await fixture({ name: "Acme", privacyUrl });
    expect(await read("/")).to.include(`<a href="${privacyUrl.replace("&", "&#38;")}">Privacy</a>`);
  });

  it("needs no logo, no colour and no privacy notice", async () => {
    const { open } = await fixture({ name: "Acme".padEnd(40, "!") });
    const answer = await open("/");
    const html = await answer.text();
    expect(html)
      .to.include(`<b>${"Acme".padEnd(40, "!")}</b>`)
      .and.include('<svg class="mark"')
      .and.not.include("verify/brand")
      .and.not.include("Privacy");
    expect(answer.headers.get("content-security-policy")).to.include("img-src data:;");
    for (const path of ["/verify/brand/logo", "/verify/brand/style.css"])
      expect((await open(path)).status).to.equal(404);
  });

  for (const [name, type, body] of [
    ["logo.svg", "image/svg+xml", svg.padEnd(65_536)],
    ["logo.svg", "image/svg+xml", `\ufeff<?xml version="1.0"?>\n<!-- Ours -->\n${svg}`],
    ["logo.png", "image/png", png],
    ["logo.webp", "image/webp", webp],
  ] as const) {
    it(`has a logo that runs nothing, even if it is opened by itself: ${type}, ${body.length} bytes`, async () => {
      const { open } = await fixture({ name: "Acme", logo: name }, { [name]: body });
      const answer = await open("/verify/brand/logo");
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(body))).to.equal(true);
      expect(wholeHead(answer)).to.deep.equal({
        ...guarded,
        "cache-control": "public, max-age=300",
        "content-security-policy":
          "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
        "content-type": type,
      });
    });
  }

  it("is read from a file that begins with a byte order mark", async () => {
    expect(readBrand(await writeBrand('\ufeff{ "name": "Acme" }'))).to.deep.equal({ name: "Acme" });
  });

  it("is read from a file in UTF-16, as Windows PowerShell writes one", async () => {
    const brand = Buffer.from('\ufeff{ "name": "Müller" }', "utf16le");
    expect(readBrand(await writeBrand(brand))).to.deep.equal({ name: "Müller" });
  });

  const ofLogo = { name: "A", logo: "a.svg" };
  const noPicture = "the logo is neither SVG, PNG nor WebP";
  const bad: readonly (readonly [what: string, brand: unknown, problem: string, logo?: string])[] = [
    ["no JSON", "name: Acme", "it is not JSON"],
    ["no object", [], "look at the object"],
    ["no name", {}, 'look at "name"'],
    ["a name too long", { name: "A".repeat(41) }, 'look at "name"'],
    ["a name of two lines", { name: "A\nB" }, 'look at "name"'],
    ["a name behind a space", { name: " A" }, 'look at "name"'],
    ...["red", "#12345", "#1234567", "#12345g", "x#123456"].map(
      (accent) => [`the colour ${accent}`, { name: "A", accent }, 'look at "accent"'] as const,
    ),
    ...["mailto:us@a.example", "x-https://a.example", "https-x://a.example"].map(
      (privacyUrl) =>
        [`the notice ${privacyUrl}`, { name: "A", privacyUrl }, 'look at "privacyUrl"'] as const,
    ),
    ["a logo without a path", { name: "A", logo: "" }, 'look at "logo"'],
    ...["<html>", `See ${svg}`, "<svgs>", "\x89PNG", "See RIFF0000WEBP", "RIFF00000WEBP", ""].map(
      (logo) => [`the logo ${JSON.stringify(logo)}`, ofLogo, noPicture, logo] as const,
    ),
    ["a logo too large", ofLogo, "the logo has 65537 bytes", svg.padEnd(65_537)],
    ["what it does not know", { name: "A", color: "#000000", icon: "" }, 'look at "color", "icon"'],
  ];
  for (const [what, brand, problem, logo] of bad) {
    it(`is refused at the start, with what is wanted: ${what}`, async () => {
      const file = await writeBrand(brand, logo === undefined ? {} : { "a.svg": logo });
      expect(() => loadPageConfig({ IDENTITY_BRAND: file }))
        .to.throw()
        .with.property("message")
        .that.equals(
          `The verify page's configuration is not valid:\n- IDENTITY_BRAND must be a JSON file with a "name" of 1 to 40 characters, and perhaps a "logo", the path of a picture (SVG, PNG or WebP, up to 64 kB) from the folder of the file, an "accent" such as "#7c3aed", and a "privacyUrl", the http(s) URL of your privacy notice (${problem}), not ${JSON.stringify(file)}.`,
        );
    });
  }

  it("is refused without its file, or its logo's, by that file's name", async () => {
    const file = await writeBrand(ofLogo, {});
    for (const [path, missing] of [
      [file, join(file, "../a.svg")],
      [`${file}x`, `${file}x`],
    ] as const) {
      expect(() => readBrand(path))
        .to.throw(InvalidInputError, /\(ENOENT: no such file or directory, open '(.*)'\)$/)
        .with.property("message")
        .that.includes(missing);
    }
  });

  it("has a colour that can be read on every page and button, in the light and in the dark", () => {
    for (const colour of ["#000000", "#ffffff", "#ffd400", "#1f5fa8", "#7c3aed", "#808080", "#00ff88"]) {
      const { light, dark } = readableAccent(colour);
      for (const [one, other] of [
        [light, "#fbfbfa"],
        [light, "#ffffff"],
        [dark, "#15181b"],
        [dark, "#1d2125"],
        [dark, "#10202f"],
      ] as const)
        expect(contrast(one, other), `${one} on ${other}`).to.be.at.least(4.5);
    }
    expect(contrast("#767676", "#ffffff").toFixed(2), "by WCAG 2.2").to.equal("4.54");
    expect(readableAccent("#1f5fa8").light, "as it is where it can be read").to.equal("#1f5fa8");
  });
});
