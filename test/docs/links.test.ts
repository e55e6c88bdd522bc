import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { pages } from "../../docs/.vitepress/pages.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const items = pages.flatMap((section) => section.items);
const files = globSync("docs/**/*.md", { cwd: root });
const others = globSync(["*.md", "packages/*/README.md", "examples/**/README.md"], { cwd: root });
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** A Markdown file's text without code. */
const prose = (file: string) => read(file).replaceAll(/^```[\s\S]*?^```$/gm, "");

/** Where the links and pictures of a file of this repository lead that leave no other. */
function linksOf(file: string): { path: string; hash: string | undefined }[] {
  const inMarkdown = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)];
  const inHtml = [...prose(file).matchAll(/ (?:src|href)="([^"]+)"/g)];
  return [...inMarkdown, ...inHtml]
    .map(([, href = ""]) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => {
      const [path = "", hash] = href.split("#");
      return { path: path === "" ? file : join(dirname(file), path), hash };
    });
}

/** The anchors of a file: its headings', as GitHub writes them, and its own. */
const anchorsOf = (file: string) => [
  ...[...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  ),
  ...[...prose(file).matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id),
];

describe("The documentation", () => {
  it("has every page in the sidebar, once, and no other", () => {
    const listed = [...items.map(({ link }) => `docs${link}.md`), "docs/index.md"];
    expect(listed).to.have.members(files);
    const home = [...read("docs/index.md").matchAll(/^ +link: (.+)$/gm)].map(([, link]) => link);
    expect(items.map(({ link }) => link)).to.include.members(home);
  });

  it("has no container of VitePress, whose colons GitHub would show", () => {
    expect([...files, ...others].filter((file) => /^ *:::/m.test(prose(file)))).to.deep.equal([]);
  });

  it("has commands that zsh and bash take as they are pasted, without comments and unquoted patterns", async () => {
    // An interactive zsh passes comments to the command, and refuses patterns that match no file.
    const commands = [...files, ...others].flatMap((file) =>
      [...read(file).matchAll(/^ *```(?:sh|bash|zsh|shell|console)\b.*\n([\s\S]*?)^ *```/gm)].map(
        ([, block = ""]) => ({ file, block }),
      ),
    );
    expect(commands.length).to.be.greaterThan(90);
    const folder = await temporaryFolder();
    for (const [i, { block }] of commands.entries()) writeFileSync(join(folder, String(i)), block);
    // A shell starts another one in a fraction of the time that this process needs for it.
    const each = 'for file in *; do bash -n "$file" && echo "$file"; done';
    const { stdout } = spawnSync("bash", ["-c", each], { cwd: folder, encoding: "utf8" });
    const taken = new Set(stdout.split("\n"));
    const wrong = commands.filter(({ block }, i) => {
      const bare = block
        .replaceAll(/<<'?(\w+)'?(.*)\n[\s\S]*?^ *\1$/gm, "$2")
        .replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\$\?/g, "''")
        // A value in an assignment is no pattern.
        .replaceAll(/^ *(?:export )?\w+=\S*$/gm, "");
      return !taken.has(String(i)) || /(^|\s)#|(^|\s)=\w|[?[\]]/m.test(bare);
    });
    expect(wrong).to.deep.equal([]);
  });

  it("has no link to a file or heading that does not exist", () => {
    const dead = [...files, ...others].flatMap((file) =>
      linksOf(file)
        .filter(({ path, hash }) => {
          if (!existsSync(join(root, path))) return true;
          return hash !== undefined && path.endsWith(".md") && !anchorsOf(path).includes(hash);
        })
        .map(({ path, hash }) => `${file}: ${path}#${hash ?? ""}`),
    );
    expect(dead).to.deep.equal([]);
  });
});
