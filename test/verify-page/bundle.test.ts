import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { transform } from "esbuild";
import { findDemo } from "../../packages/dev/internal/findDemo.ts";
import { supportedBrowsers } from "../../packages/protocol/browsers.ts";
import { findVerifyPage } from "../../packages/verify-page/bundle.ts";
import { bundleClient } from "../../scripts/pack/client.ts";
import { rejection } from "../fixtures/rejection.ts";
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
    for (const page of ["packages/verify-page/page", "packages/dev/demo"]) {
      write(
        `${page}/index.html`,
        '<!doctype html><head><title>Page</title></head><body><script type="module" src="./main.tsx"></script></body>',
      );
      write(
        `${page}/main.tsx`,
        'import "../../verify-page/shared/words.ts";\nimport "../../client/file.ts";\n',
      );
    }
    write("packages/verify-page/shared/words.ts", "");
    for (const name of ["client", "wallet", "protocol"]) write(`packages/${name}/file.ts`, "");
    cpSync(join(root, "packages/verify-page/content"), join(folder, "packages/verify-page/content"), {
      recursive: true,
    });
    copyFileSync(
      join(root, "packages/verify-page/bundle.ts"),
      join(folder, "packages/verify-page/bundle.ts"),
    );
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const { findBundle, findVerifyPage }: typeof import("../../packages/verify-page/bundle.ts") =
      await import(join(folder, "packages/verify-page/bundle.ts"));
    return { folder, write, findVerifyPage, findDemo: () => findBundle(join(folder, "packages/dev/demo/")) };
  }

  it("are built once, however many requests ask at a time", async () => {
    const { folder, findVerifyPage } = await fixture();
    const [first, second] = await Promise.all([findVerifyPage(), findVerifyPage()]);
    expect(second).to.equal(first);
    expect(readdirSync(join(folder, "cache/web"))).to.have.length(1);
    // Another user may start the clone next.
    const mode = statSync(join(folder, "cache/web")).mode & 0o777;
    expect(statSync(first).mode & 0o777).to.equal(mode);
    const { mtimeMs } = statSync(join(first, "index.html"));
    expect(await findVerifyPage()).to.equal(first);
    expect(statSync(join(first, "index.html")).mtimeMs).to.equal(mtimeMs);
  });

  it("are rebuilt if any of their sources has changed", async () => {
    const { folder, write, findDemo } = await fixture();
    const seen = [await findDemo()];
    for (const file of [
      "packages/dev/demo/main.tsx",
      "packages/dev/demo/index.html",
      "packages/verify-page/shared/words.ts",
      "packages/client/file.ts",
      "packages/wallet/file.ts",
      "packages/protocol/file.ts",
      "packages/verify-page/content/file.ts",
      "packages/verify-page/bundle.ts",
      "package-lock.json",
    ]) {
      write(
        file,
        file.endsWith(".html")
          ? "<!doctype html><head><title>Other</title></head><body></body>"
          : `console.log("${file}");\n`,
      );
      seen.push(await findDemo());
      expect(new Set(seen).size, file).to.equal(seen.length);
    }
    expect(readdirSync(join(folder, "cache/web"))).to.have.length(seen.length);
  });

  it("contain no development code, also if tests build them", async () => {
    const { write, findDemo } = await fixture();
    write("packages/dev/demo/main.tsx", "document.title = JSON.stringify(<p>A paragraph</p>);\n");
    const demo = await findDemo();
    expect(readFileSync(join(demo, "index.html"), "utf8"))
      .to.include("A paragraph")
      .and.not.include("main.tsx");
  });

  it("are one document each, whose script and style do not end early", async () => {
    const { write, findVerifyPage } = await fixture();
    write("packages/verify-page/page/style.css", 'main::before { content: "</style><!--"; }\n');
    write(
      "packages/verify-page/page/main.tsx",
      'import "./style.css";\nconst later = import("./later.ts");\n' +
        'document.title = "</script><script><!-- and $& $1";\nlater.then(({ name }) => document.body.append(name));\n',
    );
    write("packages/verify-page/page/later.ts", 'export const name = "comes later";\n');
    const verify = await findVerifyPage();
    expect(readdirSync(verify)).to.deep.equal(["index.html"]);
    const html = readFileSync(join(verify, "index.html"), "utf8");
    expect(html.match(/<\/?(script|style)\b|<!--/g)).to.deep.equal([
      "<style",
      "</style",
      "<script",
      "<script",
      "</script",
    ]);
    expect(html).to.include("and $& $1").and.include("comes later");
  });

  it("have no other files, such as a picture of a style, which a replica of another release would not have", async () => {
    const { write, findVerifyPage } = await fixture();
    write("packages/verify-page/page/dot.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>');
    write("packages/verify-page/page/style.css", "main { background: url(./dot.svg); }\n");
    write("packages/verify-page/page/main.tsx", 'import "./style.css";\n');
    const { message } = await rejection(findVerifyPage());
    expect(message).to.match(/^A page cannot have files beside its document: assets\/dot-.*\.svg\.$/);
  });
});

describe("The pages and the client as browsers get them", function () {
  this.timeout(60_000);

  /** The scripts and styles of both pages, and the files of the client package: name → text. */
  async function fixture() {
    const pages = { verify: await findVerifyPage(), demo: await findDemo() };
    const files = Object.entries(pages).flatMap(([page, folder]): [string, string][] => {
      const document = readFileSync(join(folder, "index.html"), "utf8");
      const [script = ""] = /(?<=<script type="module">).*?(?=<\/script>)/s.exec(document) ?? [];
      const [style = ""] = /(?<=<style>).*?(?=<\/style>)/s.exec(document) ?? [];
      expect(script, page).to.have.length.above(10_000);
      expect(style, page).to.have.length.above(1_000);
      return [
        [`${page}.js`, script],
        [`${page}.css`, style],
      ];
    });
    const staged = await temporaryFolder();
    await bundleClient(staged);
    const ofClient = ["index.js", "cjs/index.js"].map((file): [string, string] => [
      `client/${file}`,
      readFileSync(join(staged, file), "utf8"),
    ]);
    return files.concat(ofClient);
  }

  it("have no syntax, regular expression or rule that the oldest supported browsers cannot read", async () => {
    for (const [file, text] of await fixture()) {
      const loader = file.endsWith(".css") ? "css" : "js";
      // esbuild would rewrite syntax that the oldest cannot read. All of them know `\p{…}`, but not every script.
      const supported = { "regexp-unicode-property-escapes": true };
      const [oldest, newest] = await Promise.all(
        [supportedBrowsers, "esnext"].map((target) => transform(text, { loader, target, supported })),
      );
      expect(oldest?.code === newest?.code, file).to.equal(true);
      expect(oldest?.warnings, file).to.deep.equal([]);
      expect(text, file).not.to.match(/\(\?<[=!]/);
      expect(text, file).not.to.match(/@media[^{]*[<>]|light-dark\(/);
      // Older browsers do not know a text's alternative for screen readers, and show nothing unless the text stands alone, too.
      expect(text, file).not.to.match(
        /(?<!content:\s*("[^"]*"|counter\(\w+\));\s*)content:\s*("[^"]*"|counter\(\w+\))\s*\//,
      );
    }
  });

  it("call nothing that the oldest supported browsers do not have", async () => {
    const newer =
      /\b(?:URL\.canParse|AbortSignal\.any|Promise\.(?:withResolvers|try)|(?:Object|Map)\.groupBy|Array\.fromAsync|crypto\.randomUUID)\b|\.(?:toSorted|toReversed|toSpliced|isWellFormed|checkVisibility|showPopover|union|intersection)\(|searchParams\.size/;
    for (const [file, text] of await fixture()) {
      const unasked = text.replace(/typeof ([\w.]+)\s*==\s*[`"']function[`"']\s*\?\s*\1\(/g, "");
      expect(newer.exec(unasked)?.[0], file).to.equal(undefined);
    }
  });
});
