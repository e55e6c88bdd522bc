import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Fault, splitTest } from "../faults/fault.ts";
import { hasTest } from "../fixtures/hasTest.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

describe("The faults that tests must notice", () => {
  const lists = globSync("test/faults/*.ts", { cwd: root, exclude: ["**/{fault,targets,survivors}.ts"] });

  for (const list of lists) {
    it(`can each be put in, and name tests that there are: ${list}`, async () => {
      const { faults }: { faults: readonly Fault[] } = await import(join(root, list));
      expect(faults).not.to.deep.equal([]);
      for (const { what, file, from, to, tests } of faults) {
        const parts = readFileSync(join(root, file), "utf8").split(from);
        expect(parts, `${what}: how often ${file} has what it replaces`).to.have.length(2);
        expect(to, what).not.to.equal(from);
        expect(tests, what).not.to.deep.equal([]);
        for (const test of tests) expect(hasTest(splitTest(test)), `${what}: ${test}`).to.equal(true);
      }
    });
  }
});
