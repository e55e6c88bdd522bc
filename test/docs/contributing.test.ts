import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The list of the parts of Hardhat that we build on", () => {
  it("has every method of a development node that the product calls, and no other", () => {
    const files = globSync("{tasks,packages,ignition,signer}/**/*.{ts,tsx}", { cwd: root });
    const called = files.flatMap(
      (file) => read(file).match(/(?<=["'`])(?:hardhat|evm|debug)_[a-zA-Z]+(?=["'`])/g) ?? [],
    );
    const [, part = ""] = read("CONTRIBUTING.md").split("## Hardhat\n");
    const listed = part.match(/(?<=`)(?:hardhat|evm|debug)_[a-zA-Z]+(?=`)/g);
    expect([...new Set(listed)]).to.have.members([...new Set(called)]);
  });
});
