import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { findFreePort } from "../../fixtures/freePort.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z"/></svg>';

describe("identity-signer brand preview", function () {
  this.timeout(60_000);

  async function fixture() {
    const folder = await temporaryFolder();
    const file = join(folder, "brand.json");
    const write = (brand: unknown) => writeFileSync(file, JSON.stringify(brand));
    writeFileSync(join(folder, "logo.svg"), svg);
    return { file, write };
  }

  it("shows every page with the brand as the file is now, and says what is wrong with it meanwhile", async () => {
    const { file, write } = await fixture();
    write({ name: "First" });
    const port = String(await findFreePort());
    const preview = spawnIdentitySigner(["brand", "preview", file, "--port", port], {});
    const line = await preview.waitFor(/^Verify page +http:\S+$/m);
    const url = line.replace(/^Verify page +(.*)\/verify$/, "$1");
    expect(new URL(url).port).to.equal(port);
    const open = async (path: string) => {
      const answer = await fetch(url + path, { headers: { accept: "text/html" } });
      return { status: answer.status, text: await answer.text() };
    };
    for (const [path, status] of [
      ["/verify", 200],
      ["/", 200],
      ["/lost", 404],
    ] as const) {
      const shown = await open(path);
      expect(shown.status, path).to.equal(status);
      expect(shown.text, path).to.include("First").and.not.include("brand/logo");
    }

    write({ name: "Second", logo: "logo.svg", accent: "#7c3aed", privacyUrl: "https://second.example/" });
    expect((await open("/verify")).text)
      .to.include('<meta name="brand" content="Second">')
      .and.include("verify/brand/style.css");
    expect((await open("/")).text)
      .to.include("<b>Second</b>")
      .and.include("https://second.example/");
    expect((await open("/verify/brand/logo")).text).to.equal(svg);
    expect((await open("/verify/brand/style.css")).text).to.include("--accent:#7c3aed");
    expect(JSON.parse((await open("/verify/overview")).text)).to.include({
      pageUrl: `${url}/verify`,
      privacyUrl: "https://second.example/",
    });

    write({ name: "Third", accent: "purple" });
    const wrong = await open("/verify");
    expect(wrong.status).to.equal(500);
    expect(wrong.text).to.include("<h1>The brand is not valid</h1>").and.include("look at &#34;accent&#34;");
    write({ name: "Third" });
    expect((await open("/verify")).text).to.include('content="Third"');
    expect(await preview.stop()).to.equal(0);
  });

  it("refuses a brand that is not valid, a missing file, and a port that is none, each by its name", async () => {
    const { file, write } = await fixture();
    write({ name: "" });
    for (const [args, said] of [
      [[file], `${file} must be a JSON file with a "name" of 1 to 40 characters`],
      [[`${file}x`], `(ENOENT: no such file or directory, open '${file}x').`],
      [[], 'brand preview needs the path of one brand file, such as brand.json, got "".'],
      [[file, file], `the path of one brand file, such as brand.json, got "${file} ${file}".`],
      [[file, "--port", "seventy"], '--port must be a port from 0 to 65535, got "seventy".'],
      [[file, "--port", "65536"], '--port must be a port from 0 to 65535, got "65536".'],
    ] as const) {
      const { code, output } = await runIdentitySigner(["brand", "preview", ...args], {});
      expect([code, output.includes(said)], output).to.deep.equal([1, true]);
    }
  });
});
