import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { pages } from "../../docs/.vitepress/pages.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const items = pages.flatMap((section) => section.items);
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The reference", () => {
  it("is what the code says", async () => {
    const check = promisify(execFile)("node", ["scripts/reference.ts", "--check"], {
      cwd: root,
      env: cleanEnvironment(),
    });
    await check.catch(({ stderr }) => expect.fail(stderr));
  }).timeout(120_000);
});

describe("The site of the documentation", () => {
  let site: string;
  before(async function () {
    this.timeout(120_000);
    site = await temporaryFolder();
    // Fails on a link to a page that there is not.
    const build = promisify(execFile)("vitepress", ["build", "docs", "--outDir", site], {
      cwd: root,
      env: cleanEnvironment(),
    });
    await build.catch(({ stdout, stderr }) => expect.fail(`${stdout}${stderr}`));
  });
  const readBuilt = (file: string) => readFileSync(join(site, file), "utf8");

  it("has the headings that its pages link to, and every page of its own on itself", () => {
    const targets = items.flatMap(({ link }) =>
      [...readBuilt(`${link}.html`).matchAll(/<a href="(\/[^"]*|#[^"]*)"/g)].map(([, href = ""]) =>
        href.startsWith("#") ? `${link}${href}` : href,
      ),
    );
    expect(targets).to.include("/client#the-local-chain");
    const dead = [...new Set(targets)].filter((href) => {
      const [path = "", hash] = href.split("#");
      const file = path === "/" ? "/index.html" : `${path}.html`;
      if (!existsSync(join(site, file))) return true;
      return hash !== undefined && !readBuilt(file).includes(`id="${decodeURIComponent(hash)}"`);
    });
    expect(dead).to.deep.equal([]);
  });

  it("has every page as Markdown for programs, with what it includes, and an index of them", () => {
    const index = readBuilt("llms.txt");
    const listed = [...index.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, file = ""]) => file);
    expect(listed).to.deep.equal(items.map(({ link }) => `${link.slice(1)}.md`));
    for (const file of listed) {
      expect(readBuilt(file)).to.equal(read(file === "security.md" ? "SECURITY.md" : `docs/${file}`));
    }
  });

  it("can be searched", () => {
    const [index = ""] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: site });
    const text = readBuilt(index);
    for (const { link } of items) expect(text).to.include(`"${link}`);
    expect(text).to.include("isIdentityUsed");
  });
});
