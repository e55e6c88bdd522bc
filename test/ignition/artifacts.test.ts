import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("A fresh clone, whose contracts were never compiled", () => {
  it("deploys what its first build will compile, not a package that it does not have", async () => {
    const clone = await temporaryFolder();
    mkdirSync(join(clone, "ignition"));
    for (const file of ["artifacts.ts", "package.json"])
      cpSync(join(root, "ignition", file), join(clone, "ignition", file));
    symlinkSync(join(root, "node_modules"), join(clone, "node_modules"), "junction");
    const { artifactsFolder } = await import(pathToFileURL(join(clone, "ignition/artifacts.ts")).href);
    expect(artifactsFolder).to.equal(join(clone, "artifacts/contracts"));
  });
});
