import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Fault } from "../faults/fault.ts";
import { hasTest } from "../fixtures/hasTest.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const text = readFileSync(join(root, "SECURITY.md"), "utf8");
const promises = text.split(/^## /m).filter((section) => /^\d/.test(section));
const items = promises.flatMap((section) => section.match(/^- .+(?:\n {2}.+)*/gm) ?? []);
const rows = items.map((item) => ({
  item,
  tests: [...item.matchAll(/\((test\/\S+) "([^"]+)"\)/g)].map(([, file = "", title = ""]) => ({
    title,
    file,
  })),
}));

describe("SECURITY.md", () => {
  it("names in SECURITY.md no test that does not exist or run", () => {
    expect(rows.flatMap(({ tests }) => tests).filter((test) => !hasTest(test))).to.deep.equal([]);
  });

  it("names in SECURITY.md no test without a fault that it must notice", async () => {
    const lists = globSync("test/faults/*.ts", { cwd: root, exclude: ["**/fault.ts"] });
    const modules: { faults: readonly Fault[] }[] = await Promise.all(
      lists.map((list) => import(join(root, list))),
    );
    const noticing = new Set(modules.flatMap(({ faults }) => faults.flatMap(({ tests }) => tests)));
    const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file, title }) => `${file}: ${title}`)));
    expect([...named].filter((test) => !noticing.has(test))).to.deep.equal([]);
  });
});
