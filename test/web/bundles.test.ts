import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import type { Bundles } from "../../web/server/bundles.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The pages' bundles", function () {
  this.timeout(60_000);

  /** A clone in which both pages are one line long, and each room has one file. */
  async function fixture() {
    const folder = await temporaryFolder();
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    write("package.json", '{ "type": "module" }');
    write("package-lock.json", "{}");
    for (const page of ["verify", "demo"]) {
      write(
        `web/${page}/index.html`,
        '<!doctype html><title>Page</title><script type="module" src="./main.tsx"></script>',
      );
      write(`web/${page}/main.tsx`, 'import "../shared/words.ts";\nimport "../../client/file.ts";\n');
    }
    write("web/shared/words.ts", "");
    for (const room of ["chain", "client", "wallet", "protocol"]) write(`${room}/file.ts`, "");
    mkdirSync(join(folder, "web/server"));
    for (const file of ["web/server/bundles.ts", "protocol/mark.ts"])
      copyFileSync(join(root, file), join(folder, file));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const { findBundles }: { findBundles: () => Promise<Bundles> } = await import(
      join(folder, "web/server/bundles.ts")
    );
    return { folder, write, findBundles };
  }

  it("are built once, however many requests ask at a time", async () => {
    const { folder, findBundles } = await fixture();
    const [first, second] = await Promise.all([findBundles(), findBundles()]);
    expect(second).to.deep.equal(first);
    expect(readdirSync(join(folder, "cache/web"))).to.have.length(1);
    // Whoever starts the clone next may be another user.
    const mode = statSync(join(folder, "cache/web")).mode & 0o777;
    expect(statSync(dirname(first.verify)).mode & 0o777).to.equal(mode);
    const { mtimeMs } = statSync(join(first.verify, "index.html"));
    expect(await findBundles()).to.deep.equal(first);
    expect(statSync(join(first.verify, "index.html")).mtimeMs).to.equal(mtimeMs);
  });

  it("are rebuilt if any of their sources has changed", async () => {
    const { folder, write, findBundles } = await fixture();
    const seen = [(await findBundles()).demo];
    for (const file of [
      ...["web/verify/main.tsx", "web/demo/index.html", "web/shared/words.ts"],
      ...["chain/file.ts", "client/file.ts", "wallet/file.ts", "protocol/file.ts"],
      "package-lock.json",
    ]) {
      write(
        file,
        file.endsWith(".html") ? "<!doctype html><title>Other</title>" : `console.log("${file}");\n`,
      );
      seen.push((await findBundles()).demo);
      expect(new Set(seen).size, file).to.equal(seen.length);
    }
    expect(readdirSync(join(folder, "cache/web"))).to.have.length(seen.length);
  });

  it("contain no development code, also if tests build them", async () => {
    const { write, findBundles } = await fixture();
    write("web/demo/main.tsx", "document.title = JSON.stringify(<p>A paragraph</p>);\n");
    const { demo } = await findBundles();
    const [script = ""] = readdirSync(join(demo, "assets")).filter((file) => file.endsWith(".js"));
    expect(readFileSync(join(demo, "assets", script), "utf8"))
      .to.include("A paragraph")
      .and.not.include("main.tsx");
  });

  it("have no data URLs in their styles, which their policy forbids, and the verify page's files one level down", async () => {
    const { write, findBundles } = await fixture();
    write("web/verify/dot.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>');
    write("web/verify/style.css", "main { background: url(./dot.svg); }\n");
    write("web/verify/main.tsx", 'import "./style.css";\n');
    const { verify } = await findBundles();
    const files = readdirSync(join(verify, "assets"));
    expect(
      files.some((file) => file.endsWith(".svg")),
      files.join(),
    ).to.equal(true);
    for (const kind of [/\.css$/, /\.css\.br$/, /\.css\.gz$/]) {
      expect(
        files.some((file) => kind.test(file)),
        `${kind}`,
      ).to.equal(true);
    }
    expect(readFileSync(join(verify, "index.html"), "utf8")).to.match(/href="verify\/assets\/[^"]+\.css"/);
  });
});
