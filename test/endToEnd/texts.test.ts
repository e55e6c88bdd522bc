import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parseSync } from "vite";
import { root } from "../fixtures/tasks/hardhat.ts";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Attributes whose values nobody reads or hears. */
const silent =
  /^(class|for|href|id|key|lang|rel|role|src|target|type|viewBox|d|aria-(hidden|current|disabled)|aria-(labelledby|describedby|controls))$/;

/** The texts in a page's source that people would read: in markup, in attributes that are read out, and sentences. */
function findTexts(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: string[] = [];
  const note = (text: string, { start }: Node) =>
    found.push(`${file}:${source.slice(0, start).split("\n").length} ${text.trim()}`);
  // A function as Solidity writes it is the same in every language.
  const isFunction = (text: string) => /^\w+\([^)]*\)$/.test(text);
  const isOption = (text: string) => /^--[a-z]+ x$/.test(text);
  const isDirective = (text: string) => /^((\w+-src|form-action) |public, )/.test(text);
  const look = (node: Node, isRead: boolean): void => {
    if (node.type === "TaggedTemplateExpression") {
      const { name } = node.tag as { name?: string };
      // A style sheet says nothing.
      if (name === "css") return;
      if (name === "html") {
        for (const text of readMarkup(readText(node.quasi as Node) ?? "")) note(text, node);
        for (const insert of (node.quasi as { expressions: Node[] }).expressions) look(insert, false);
        return;
      }
    }
    const text = readText(node) ?? "";
    const isText = isRead ? /\p{L}/u : /^\p{Lu}\p{Ll}+$|\p{L}{2,}[,;:]? \p{L}/u;
    if (isText.test(text) && !isFunction(text) && !isOption(text) && !isDirective(text)) note(text, node);
    for (const [child, read] of children(node, isRead)) look(child, read);
  };
  look(program as unknown as Node, false);
  return found;
}

function readText({ type, value, quasis }: Node): string | undefined {
  if (type === "JSXText" || (type === "Literal" && typeof value === "string")) return String(value);
  if (type !== "TemplateLiteral") return undefined;
  return (quasis as readonly { value: { raw: string } }[]).map(({ value: { raw } }) => raw).join("x");
}

/** The texts between the tags of markup, and in attributes that are read out; `x` stands for each inserted value. */
function readMarkup(markup: string): string[] {
  // An attribute that is put into a tag.
  if (/^ [a-z]+(="\w+")?$/.test(markup)) return [];
  const readOut = [...markup.matchAll(/\s(?:alt|title|placeholder|aria-label)="([^"]*)"/g)].map(
    ([, text]) => text,
  );
  const between = markup.replace(/<[^>]*>/g, "\n").split("\n");
  return [...readOut, ...between].map((text = "") => text.trim()).filter((text) => /\p{L}{2}/u.test(text));
}

/** A node's children, each with whether people read it where it stands. */
function children(node: Node, isRead: boolean): [Node, boolean][] {
  // Thrown errors are for developers: the page explains them in words of the catalogue.
  if (node.type === "ThrowStatement" || node.type === "ImportDeclaration") return [];
  if (node.type === "JSXAttribute") {
    const { name } = node.name as { name: string };
    const isReadOut = /^(alt|title|placeholder|aria-.+)$/.test(name);
    return silent.test(name) || node.value === null ? [] : [[node.value as Node, isReadOut]];
  }
  // A header's name is no more read than one of a method.
  if (node.type === "CallExpression" && Object(Object(node.callee).property).name === "vary") return [];
  // A name is the same in every language, and what is sent to programs.
  if (
    node.type === "Property" &&
    /^(name|symbol|contract|en|es|error_description)$/.test(String(Object(node.key).name))
  ) {
    return Object(node.value).type === "Literal" ? [] : [[node.value as Node, false]];
  }
  const passesOn = /^(JSXElement|JSXFragment)$/.test(node.type)
    ? /^(JSXText|JSXExpressionContainer)$/
    : isRead && /^(JSXExpressionContainer|ConditionalExpression|LogicalExpression)$/.test(node.type)
      ? /^(Literal|TemplateLiteral|ConditionalExpression|LogicalExpression)$/
      : /^$/;
  return Object.entries(node)
    .filter(([member]) => member !== "test")
    .flatMap(([, value]) => value)
    .filter((child): child is Node => typeof Object(child).type === "string")
    .map((child) => [child, passesOn.test(child.type)]);
}

describe("The pages' texts", () => {
  const pages = {
    "packages/verify-page/shared": ["packages/verify-page/shared/**/*.{ts,tsx}"],
    "packages/verify-page/page": ["packages/verify-page/page/**/*.{ts,tsx}"],
    // Its other files write messages and calls, which are the same in every language.
    "packages/dev/demo": ["packages/dev/demo/**/*.tsx"],
    "the service's front door": [
      "packages/verify-page/html/*.ts",
      "packages/verify-page/server/frontPage.ts",
    ],
  };

  for (const [page, rooms] of Object.entries(pages)) {
    it(`stand in the catalogue of ${page}, and nowhere else`, () => {
      const files = globSync(rooms, { cwd: root });
      expect(files.length).to.be.above(1);
      const outside = files
        .filter((file) => !file.includes("/texts/"))
        .flatMap((file) => findTexts(file, readFileSync(join(root, file), "utf8")));
      expect(outside).to.deep.equal([]);
    });
  }

  it("are found wherever they would stand", () => {
    const cases = {
      "const a = <p>Hello</p>;": ["Hello"],
      "const a = <p>{b} is it</p>;": ["is it"],
      'const a = <img alt="Wallet" />;': ["Wallet"],
      'const a = <p aria-label="Steps" />;': ["Steps"],
      'const a = "Nothing was stored.";': ["Nothing was stored."],
      'const a = <p>{b ? "back" : texts.c}</p>;': ["back"],
      'const a = ["Wallet"];': ["Wallet"],
      "const a = `for ${b} gas`;": ["for x gas"],
      "const a = { b: () => `You came ${b} back` };": ["You came x back"],
      'const a = <p class="one two">{texts.b} … 1</p>;': [],
      'const a = <p>{b === "back" ? 1 : 2}</p>;': [],
      'const a = { name: "Base Sepolia" };': [],
      'const a = { contract: "Ballot" };': [],
      "const a = html`<p class='one two'>${b}</p>`;": [],
      "const a = html`<p>Hello ${b}</p>`;": ["Hello x"],
      'const a = html`<img alt="Wallet">${c ? html`<b>back</b>` : undefined}`;': ["Wallet", "back"],
      "const a = css`main { color: red; margin: 0 auto }`;": [],
      'const a = "mint(address to, uint256 amount)";': [],
      'throw new Error("The wallet failed.");': [],
      'const a = request({ method: "eth_accounts" });': [],
    };
    for (const [source, texts] of Object.entries(cases)) {
      expect(findTexts("a.tsx", source), source).to.deep.equal(texts.map((text) => `a.tsx:1 ${text}`));
    }
  });
});
