import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const coloursOf = (text: string) =>
  new Set(text.match(/#[0-9a-f]{6}\b/gi)?.map((each) => each.toLowerCase()));
const declared = /--([\w-]+): light-dark\((#\w+), (#\w+)\)/g;

describe("The palette", () => {
  const palette = read("packages/verify-page/shared/palette.css");

  it("has the colours of every picture that is drawn, and of every style sheet", () => {
    const files = globSync(
      [
        "docs/{images,public}/*.svg",
        "packages/{dev/demo,verify-page/page,verify-page/shared}/*.{css,html}",
        "docs/.vitepress/theme/*.css",
      ],
      {
        cwd: root,
      },
    );
    expect(files).to.include("docs/images/flow.svg").and.include("docs/.vitepress/theme/style.css");
    for (const file of files)
      expect([...coloursOf(palette)], file).to.include.members([...coloursOf(read(file))]);
  });

  it("is that of the pages without scripts, and of the mark", () => {
    const plain = new Map(
      [...read("packages/verify-page/html/plainPage.ts").matchAll(declared)].map((each) => [
        each[1],
        each[0],
      ]),
    );
    const all = new Map([...palette.matchAll(declared)].map((each) => [each[1], each[0]]));
    expect(plain.size).to.be.above(6);
    for (const [name, declaration] of plain) expect(all.get(name)).to.equal(declaration);
    expect([...coloursOf(palette)]).to.include.members([
      ...coloursOf(read("packages/verify-page/content/mark.ts")),
    ]);
  });
});
