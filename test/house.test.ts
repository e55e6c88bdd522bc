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
/** The folders of a section's list, in its order. */
const readFloors = (title: string) =>
  [...readSection(title).matchAll(/^- (`.*?`): /gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/(\w+)\//g)].map(([, name]) => name),
  );

/** What is made, and not kept. */
const made = ["node_modules", "artifacts", "cache", "coverage", "dist", "typechain-types"];

/** Words that hide the actor of a sentence, and what to write in their place. */
const riddles: readonly (readonly [word: string, pattern: RegExp, remedy: string])[] = [
  ["whoever", /\bwhoever\b/gi, 'name the person or program, such as "the caller" or "anyone who"'],
  [
    "has … told",
    /\b(?:has|have|had|having)(?:\s+(?!been\b)[\w'’]+){1,6}\s+told\b/gi,
    'use the verb itself, such as "prints" or "logs"',
  ],
  ["one of ours", /\bone of ours\b/gi, 'name the thing, such as "a bug in the service"'],
  ["Else", /(?<![\w.$-])Else\b(?=[,’'\s])/g, "say under which condition it happens"],
];

/** Words that begin a question. A statement begins with its subject. */
const opening = /(?<![\w.$-])(?:Who|Whose|What|Of (?:what|which|whom|whose))\b(?=['’\s])/g;

/** A label on a page, such as a button's, is no sentence; a test's title is one. */
const label = /(?<!\b(?:describe|it)\()(["'`>])[^"'`<>.?!\n]*(?=["'`<])/g;

/** @returns `<line>: <word>: <remedy>` for each riddle in a file's comments, texts and prose. */
function findRiddles(text: string): string[] {
  const blank = (found: string) => found.replaceAll(/\S/g, " ");
  const prose = text.replaceAll(/^[ \t]*(?:\/\/\/?|\/?\*+|#+)(?=\s)/gm, blank);
  const at = (index: number) => prose.slice(0, index).split("\n").length;
  const hidden = riddles.flatMap(([word, pattern, remedy]) =>
    [...prose.matchAll(pattern)].map(({ index }) => `${at(index)}: ${word}: ${remedy}`),
  );
  const isStatement = (sentence: string) => !/^[^.!?]*\?/.test(sentence.split(/\n\s*\n/)[0] ?? "");
  const inverted = [...prose.replaceAll(label, blank).matchAll(opening)]
    .filter(({ index }) => isStatement(prose.slice(index)))
    .map(({ index, 0: word }) => `${at(index)}: ${word}: begin with the subject, or ask a question`);
  return [...hidden, ...inverted];
}

/** The texts of a file that people read: without names in code, and without code in a page. */
function readTexts(file: string, content: string): string[] {
  if (file.endsWith(".md")) {
    const prose = content.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`]*`|\]\([^)]*\)/g, "");
    return prose.split(/\n\s*\n/);
  }
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  (function visit(node: ts.Node): void {
    const isName =
      node.parent !== undefined && (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent));
    if (!isName && (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateTail(node)))
      texts.push(node.text);
    if (ts.isJsxText(node) || ts.isTemplateMiddle(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  })(source);
  return texts;
}

/** The number of files that match a pattern, and the places in them whose syntax is `wanted`. */
function findNodes(pattern: string, wanted: (node: ts.Node) => boolean) {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const files = globSync(pattern, { cwd, exclude: made.map((folder) => `**/${folder}/**`) });
  const places = files.flatMap((file) => {
    const text = readFileSync(join(cwd, file), "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    (function visit(node: ts.Node): void {
      if (wanted(node))
        found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
      ts.forEachChild(node, visit);
    })(source);
    return found;
  });
  return { count: files.length, places };
}

describe("The house", () => {
  it("has in docs/architecture.md the list of imports that `npm test` holds", async () => {
    const rules = await import(new URL("../.dependency-cruiser.mjs", import.meta.url).href);
    const held = (table: Table) =>
      Object.fromEntries(Object.entries(table).map(([room, uses]) => [room, [...uses].sort()]));
    expect(readUses(section)).to.deep.equal(held(rules.uses));
  });

  it("has in docs/architecture.md the layers of packages in the order that `npm test` holds", async () => {
    const { floors } = await import(new URL("../.dependency-cruiser.mjs", import.meta.url).href);
    expect(readFloors("The layers of the signer")).to.deep.equal(Object.keys(floors["signer/internal"]));
    const page = floors["packages/verify-page"];
    expect(readFloors("The layers of the verify page")).to.deep.equal(Object.keys(page));
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
    const { count, places } = findNodes("**/*.{ts,tsx,mjs}", (node) => {
      const isSpread =
        ts.isSpreadAssignment(node) || ts.isSpreadElement(node) || ts.isJsxSpreadAttribute(node);
      const spread = isSpread && node.expression;
      return spread && (ts.isObjectLiteralExpression(spread) || ts.isArrayLiteralExpression(spread));
    });
    expect(count).to.be.above(500);
    expect(places).to.deep.equal([]);
  });

  it("gives each constant a line and a comment of its own", () => {
    const isNumber = (node: ts.Node): boolean =>
      ts.isNumericLiteral(node) ||
      ts.isBigIntLiteral(node) ||
      (ts.isBinaryExpression(node) && isNumber(node.left) && isNumber(node.right));
    const { count, places } = findNodes(
      "{bench,ignition,packages,scripts,signer,tasks}/**/*.{ts,tsx,mjs}",
      (node) =>
        ts.isVariableDeclaration(node) &&
        ts.isSourceFile(node.parent.parent.parent) &&
        ts.isArrayBindingPattern(node.name) &&
        node.initializer !== undefined &&
        ts.isArrayLiteralExpression(node.initializer) &&
        node.initializer.elements.every((each) => isNumber(each) || ts.isStringLiteral(each)),
    );
    expect(count).to.be.above(400);
    expect(places).to.deep.equal([]);
  });

  it("writes sentences that name their actor", () => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const kinds = "ts,tsx,mjs,js,sol,md,css,html,yml,yaml,json";
    const files = globSync(
      [
        `{,docs/.vitepress/,.github/}**/*.{${kinds}}`,
        "deploy/**/{*.*,Dockerfile,Caddyfile,environment}",
        ".dependency-cruiser.mjs",
        ".ci/run",
      ],
      {
        cwd,
        exclude: [
          ...made.map((folder) => `**/${folder}/**`),
          "test/vectors/**",
          "test/house.test.ts",
          "package-lock.json",
        ],
      },
    );
    expect(files.length).to.be.above(900);
    const found = files.flatMap((file) =>
      findRiddles(readFileSync(join(cwd, file), "utf8")).map((riddle) => `${file}:${riddle}`),
    );
    expect(found).to.deep.equal([]);
  });

  it("takes a question and a label for no riddle, and a sentence over two lines for one", () => {
    const count = (text: string) => findRiddles(text).length;
    expect(count("// What does it do?\n## Who is\n# trusted?\n")).to.equal(0);
    expect(count('heading: "What was sent", <b>What was sent</b>')).to.equal(0);
    expect(count("// Whoever asks, is\n// told.")).to.equal(1);
    expect(count("/**\n * Has what the store fails with\n * told.\n */")).to.equal(1);
    expect(count('it("What it does", () => {\n/** What it does. */\n## What it does\n')).to.equal(3);
    expect(count("// Any error of these is\n// one of ours. Else\n// it is not.")).to.equal(2);
  });

  it("has one word for one act: people verify an account", () => {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const pages = [
      "packages/dev/demo/texts/en.tsx",
      "packages/dev/sandbox/internal/texts/en.ts",
      "packages/verify-page/page/texts/en.tsx",
      "packages/verify-page/shared/texts/en.ts",
      "packages/verify-page/server/texts/frontPage.ts",
      "packages/protocol/judgeCredential.ts",
    ];
    const guides = [
      "README.md",
      "packages/client/README.md",
      "packages/verify-page/README.md",
      ...["index", "getting-started", "how-it-works", "your-users"].map((name) => `docs/${name}.md`),
    ];
    const operators = ["verify-page", "one-machine", "deployment", "providers", "store", "glossary"];
    const words = [
      [
        "prove",
        /\bprov(e|es|en|ing)\b/i,
        [...pages, ...guides, "docs/verify-page.md", "docs/one-machine.md"],
      ],
      ["credential", /\bcredentials?\b/i, [...pages.slice(0, 5), ...guides]],
      ["identity hash", /\bidentity hash/i, pages.slice(2, 5)],
      ["pseudonym", /\bpseudonym/i, [...pages, ...guides, ...operators.map((name) => `docs/${name}.md`)]],
    ] as const;
    const found = words.flatMap(([word, pattern, files]) =>
      files.flatMap((file) =>
        readTexts(file, readFileSync(join(cwd, file), "utf8"))
          .filter((text) => pattern.test(text))
          .map((text) => `${file}: ${word}: ${text.trim()}`),
      ),
    );
    expect(found).to.deep.equal([]);
  });

  it("has a word in docs/architecture.md on every folder that there is", () => {
    const folders = readdirSync(new URL("../", import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !made.includes(entry.name))
      .map(({ name }) => name);
    expect(folders).to.include("examples");
    expect(folders.filter((name) => !section.includes(`\`${name}/`))).to.deep.equal([]);
  });
});
