import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import ts from "typescript";

type Table = Record<string, string[]>;

/** The packages of a list with items of the form "`folder/`: what it is. Uses `others`." */
function readUses(markdown: string): Table {
  const rows = [...markdown.matchAll(/^- `([\w/-]+)\/`: (?:[^\n]|\n {2})*?Uses ((?:[^.]|\n)+)\.$/gm)];
  return Object.fromEntries(
    rows.map(([, room = "", used = ""]) => [
      room,
      used === "nothing" ? [] : [...used.matchAll(/`([\w/-]+)`/g)].map(([, other = ""]) => other).sort(),
    ]),
  );
}

const page = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
const readSection = (title: string) =>
  page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";
const section = readSection("The packages");
const floors = [...readSection("The layers of the signer").matchAll(/^- `(\w+)\/`: /gm)].map(
  ([, name]) => name,
);

/** What is made, and not kept. */
const made = ["node_modules", "artifacts", "cache", "coverage", "dist", "typechain-types"];

describe("The house", () => {
  it("has in docs/architecture.md the list of imports that `npm test` holds", async () => {
    const rules = await import(new URL("../.dependency-cruiser.mjs", import.meta.url).href);
    const held = (table: Table) =>
      Object.fromEntries(Object.entries(table).map(([room, uses]) => [room, [...uses].sort()]));
    expect(readUses(section)).to.deep.equal(held(rules.uses));
  });

  it("has in docs/architecture.md the layers of the signer in the order that `npm test` holds", async () => {
    const rules = await import(new URL("../.dependency-cruiser.mjs", import.meta.url).href);
    expect(floors).to.deep.equal(Object.keys(rules.floors["signer/internal"]));
  });

  it("names no command with which npx would install a package of somebody else's", () => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const files = globSync(["*.md", "docs/**/*.md", "{packages,contracts,deploy,signer,tasks,test}/**/*.*"], {
      cwd,
      exclude: ["**/node_modules/**", "test/house.test.ts"],
    });
    const lines = files.flatMap((file) =>
      readFileSync(join(cwd, file), "utf8")
        .split("\n")
        .filter((line) => /npx[^`|&;]* identity-signer/.test(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(lines.length).to.be.above(40);
    // In any other folder, npx asks the registry for a package of that name, and runs it. npx takes the word after --no for
    // its value where a flag follows, so that needs the dashes.
    const safe = /npx --no identity-signer(?! -)|npx --no -- identity-signer/;
    expect(lines.filter((line) => !safe.test(line))).to.deep.equal([]);
  });

  it("writes members out, and packs none into a spread of a literal", () => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const files = globSync("**/*.{ts,tsx,mjs}", { cwd, exclude: made.map((folder) => `**/${folder}/**`) });
    const packed = files.flatMap((file) => {
      const text = readFileSync(join(cwd, file), "utf8");
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
      const found: string[] = [];
      (function visit(node: ts.Node): void {
        const isSpread =
          ts.isSpreadAssignment(node) || ts.isSpreadElement(node) || ts.isJsxSpreadAttribute(node);
        const spread = isSpread && node.expression;
        if (spread && (ts.isObjectLiteralExpression(spread) || ts.isArrayLiteralExpression(spread))) {
          found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
        }
        ts.forEachChild(node, visit);
      })(source);
      return found;
    });
    expect(files.length).to.be.above(500);
    expect(packed).to.deep.equal([]);
  });

  it("has a word in docs/architecture.md on every folder that there is", () => {
    const folders = readdirSync(new URL("../", import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !made.includes(entry.name))
      .map(({ name }) => name);
    expect(folders).to.include("examples");
    expect(folders.filter((name) => !section.includes(`\`${name}/`))).to.deep.equal([]);
  });
});
