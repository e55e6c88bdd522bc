import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { npmProject } from "../fixtures/packages/npmProject.ts";
import { findTarballs } from "../fixtures/packages/tarballs.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

/** Bytes of all files in a project's node_modules. */
function measure(folder: string): number {
  return readdirSync(join(folder, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The packages that npm installed. */
function names(lock: { packages: Record<string, { optional?: boolean }> }): string[] {
  return Object.keys(lock.packages)
    .filter((path) => path !== "")
    .map((path) => path.replace(/^.*node_modules\//, ""));
}

describe("npm in an empty project", function () {
  this.timeout(300_000);

  it("installs under 8 MB for the contracts: themselves and OpenZeppelin", async () => {
    const project = await npmProject();
    await project.install("@hardhat-identity/contracts");
    expect(names(project.readJson("package-lock.json"))).to.have.members([
      "@hardhat-identity/contracts",
      "@openzeppelin/contracts",
    ]);
    expect(measure(project.folder)).to.be.below(8_000_000);
  });

  it("installs under 1 MB for the client: itself", async () => {
    const project = await npmProject();
    await project.install("@hardhat-identity/client");
    expect(names(project.readJson("package-lock.json"))).to.deep.equal(["@hardhat-identity/client"]);
    expect(measure(project.folder)).to.be.below(1_000_000);
  });

  it("adds at most 20 packages and 5 MB for the plugin beside Hardhat, a toolbox and OpenZeppelin's contracts", async () => {
    const project = await npmProject();
    const box = "@nomicfoundation/hardhat-toolbox-mocha-ethers";
    await project.install("--save-dev", "hardhat", box, "@openzeppelin/contracts");
    const before = new Set(Object.keys(project.readJson("package-lock.json").packages));
    const size = measure(project.folder);
    await project.install("--save-dev", "hardhat-identity", "@hardhat-identity/contracts");
    const { packages } = project.readJson("package-lock.json");
    const added = Object.keys(packages).filter((path) => !before.has(path));
    expect(added).to.include("node_modules/hardhat-identity");
    expect(added, added.join("\n")).to.have.length.at.most(20);
    expect(measure(project.folder) - size).to.be.below(5_000_000);
  });

  for (const [name, most] of [
    ["identity-signer", 125],
    ["@hardhat-identity/signer", 75],
  ] as const) {
    it(`installs under 40 MB and at most ${most} packages for ${name}: no Hardhat, no compiler`, async () => {
      // As on a machine that has none of it yet.
      const project = await npmProject({}, "cold");
      await project.install("--omit=optional", name);
      const { packages }: { packages: Record<string, { optional?: boolean }> } =
        project.readJson("package-lock.json");
      const installed = Object.keys(packages).filter((path) => path !== "" && !packages[path]?.optional);
      const foreign = /\/(hardhat|hardhat-identity|solc|oidc-provider|@nomicfoundation\/.*)$/;
      expect(installed.filter((path) => foreign.test(path))).to.deep.equal([]);
      expect(installed, installed.join("\n")).to.have.length.at.most(most);
      expect(measure(project.folder)).to.be.below(40_000_000);
    });
  }

  it("names no folder of the machine that packed it, so that everybody packs the same bytes", () => {
    const folder = findTarballs();
    for (const file of readdirSync(folder)) {
      const text = execFileSync("tar", ["-xzOf", join(folder, file)], { maxBuffer: 2 ** 26 }).toString();
      for (const path of [root, tmpdir(), "hardhat-identity-pack-"])
        expect(text.includes(path), file).to.equal(false);
    }
  });
});
