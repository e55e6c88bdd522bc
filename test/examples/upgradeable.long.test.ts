import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

const { bin } = createRequire(import.meta.url)("@openzeppelin/upgrades-core/package.json");
const validator = join(root, "node_modules/@openzeppelin/upgrades-core", bin["openzeppelin-upgrades-core"]);

describe("The example of a consumer that can be upgraded, in a project of somebody else's", function () {
  this.timeout(300_000);
  let project: ReturnType<typeof freshProject>;
  before(() => {
    project = freshProject();
    cpSync(join(root, "examples/upgradeable"), project.folder, { recursive: true });
    const config = readFileSync(join(project.folder, "hardhat.config.ts"), "utf8");
    // Nothing is downloaded.
    const version = 'version: "0.8.37",';
    expect(config).to.include(version);
    project.write(
      "hardhat.config.ts",
      config.replace(version, `${version} path: ${JSON.stringify(solcPath)},`),
    );
  });

  const validate = (...args: string[]) =>
    promisify(execFile)(process.execPath, [validator, "validate", "artifacts/build-info", ...args], {
      cwd: project.folder,
      env: cleanEnvironment(),
    }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );

  it("passes its own tests", async () => {
    const { code, stdout, stderr } = await project.hardhat(["test"]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout.match(/✔ /g), stdout).to.have.lengthOf(3);
  });

  it("is safe to upgrade by the judgement of OpenZeppelin's validator, with nothing allowed but what its sources allow", async () => {
    const { code, stdout, stderr } = await project.hardhat(["build", "--force"]);
    expect(code, stdout + stderr).to.equal(0);
    const said = await validate();
    expect(
      said
        .split("\n")
        .filter((line) => /^ *[✔✘]/.test(line))
        .map((line) => line.trim()),
      said,
    ).to.deep.equal([
      "✔  contracts/Poll.sol:Poll",
      "✔  contracts/PollV2.sol:PollV2 (upgrades from contracts/Poll.sol:Poll)",
    ]);
    expect(said).to.include("SUCCESS");
  });
});
