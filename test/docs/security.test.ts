import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Fault } from "../faults/fault.ts";
import { hasTest } from "../fixtures/hasTest.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** The sections of a page that have a number, each with its title. */
const sectionsOf = (page: string) =>
  page
    .split(/^## (?=\d)/m)
    .slice(1)
    .map((section) => ({ title: section.split("\n")[0], section }));

const security = read("SECURITY.md");
const promised = sectionsOf(security).map(({ title = "", section }) => {
  const numbers = [...section.matchAll(/\n(\d+)\. /g)].map(
    ([, number]) => `${title.split(".")[0]}.${number}`,
  );
  return { title, numbers };
});
const tested = sectionsOf(read("docs/promises.md")).map(({ title = "", section }) => {
  const items = section.match(/^- .+(?:\n {2}.+)*/gm) ?? [];
  return { title, numbers: items.map((item) => /^- \*\*(\d+\.\d+)\*\*: \[/.exec(item)?.[1]), items };
});
const rows = tested
  .flatMap(({ items }) => items)
  .map((item) => ({
    tests: [...item.replaceAll(/\n {2}/g, " ").matchAll(/\[([^\]]+)\]\(\.\.\/(test\/[^)]+)\)/g)].map(
      ([, title = "", file = ""]) => ({ title, file }),
    ),
  }));

describe("SECURITY.md", () => {
  it("is short, and has the tests of each promise on a page of their own, by its number", () => {
    expect(security.length).to.be.below(20_000);
    const shown = tested.map(({ title, numbers }) => ({ title, numbers }));
    expect(shown).to.deep.equal(promised);
    expect(promised.flatMap(({ numbers }) => numbers)).to.have.length.above(80);
  });

  it("names no test that does not exist or run", () => {
    expect(rows.flatMap(({ tests }) => tests).filter((test) => !hasTest(test))).to.deep.equal([]);
  });

  it("names no test without a fault that it must notice", async () => {
    const lists = ["test/faults/contracts.ts", "test/faults/security.ts"];
    const modules: { faults: readonly Fault[] }[] = await Promise.all(
      lists.map((list) => import(join(root, list))),
    );
    const noticing = new Set(modules.flatMap(({ faults }) => faults.flatMap(({ tests }) => tests)));
    const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file, title }) => `${file}: ${title}`)));
    expect([...named].filter((test) => !noticing.has(test))).to.deep.equal([]);
  });
});
