import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

describe("The first connection of a process", () => {
  it("loads few of our dependencies: the others, Ignition above all, come where they are used", async () => {
    const script = join(root, "test/fixtures/packages/loadedPackages.ts");
    // Node runs the sources as they are, Hardhat compiles them: what covers them in two forms cannot be added up.
    const options = { cwd: root, env: cleanEnvironment({ NODE_V8_COVERAGE: "" }) };
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    const { without, opened, placed }: Record<string, string[]> = JSON.parse(stdout);
    const manifest = readFileSync(join(root, "packages/hardhat-identity/package.json"), "utf8");
    const { dependencies, peerDependencies } = JSON.parse(manifest);
    const ours = Object.keys({ ...dependencies, ...peerDependencies });
    const added = ours.filter((name) => opened?.includes(name) && !without?.includes(name));
    // The description of the plugin that this one builds on.
    expect(added).to.have.members(["@nomicfoundation/hardhat-ignition"]);
    expect(placed).to.include("@nomicfoundation/ignition-core");
  });
});
