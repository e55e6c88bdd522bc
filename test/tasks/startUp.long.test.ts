import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { development } from "../../packages/protocol/development.ts";
import { cleanEnvironment, root, runHardhatProcess } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The plugin", () => {
  /** Makes a process list the modules that it loads, as paths in this repository. */
  async function traced() {
    const trace = join(await temporaryFolder(), "modules");
    const preload = pathToFileURL(join(root, "test/fixtures/tasks/traceModules.mjs"));
    const here = `${pathToFileURL(root)}/`;
    return {
      env: { NODE_OPTIONS: `--import ${preload}`, TRACED_MODULES: trace },
      readLoaded: async () =>
        (await readFile(trace, "utf8"))
          .split("\n")
          .filter((url) => url.startsWith(here))
          .map((url) => url.slice(here.length).replace(/\?.*/, "")),
    };
  }

  it("loads only its own description before one of its tasks runs", async () => {
    const { env, readLoaded } = await traced();
    const { code } = await runHardhatProcess(["identity", "mint", "--help"], { env });
    expect(code).to.equal(0);
    const loaded = (await readLoaded()).filter((file) => !file.startsWith("node_modules/"));
    expect(loaded.filter((file) => !/^(hardhat\.config|scripts\/)/.test(file))).to.have.members([
      "tasks/index.ts",
      "tasks/internal/hardhatVersion.ts",
      "tasks/options.ts",
      "tasks/type-extensions.ts",
      "packages/wallet/plugin.ts",
      "packages/wallet/type-extensions.ts",
      "packages/wallet/hooks/config.ts",
      "tasks/hooks/config.ts",
      "tasks/hooks/hre.ts",
      "tasks/internal/baseChains.ts",
      "tasks/internal/localNetwork.ts",
    ]);
  });

  it("loads no library of Ethereum's, no service and no client when a connection opens", async () => {
    const { env, readLoaded } = await traced();
    const script = join(root, "test/fixtures/tasks/openConnection.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env: cleanEnvironment(env) });
    expect(stdout.trim()).to.equal(development.signer);
    const loaded = await readLoaded();
    expect(loaded).to.include("tasks/hooks/network.ts");
    const heavy = /^(node_modules\/(ethers|viem|express|zod|kysely)|signer|client|sandbox|chain|web)\//;
    expect(loaded.filter((file) => heavy.test(file))).to.deep.equal([]);
  });

  it("loads few dependencies, and no Ignition, when a connection opens", async () => {
    const script = join(root, "test/fixtures/packages/loadedPackages.ts");
    // Node runs the sources as they are, Hardhat compiles them: what covers them in two forms cannot be added up.
    const options = { cwd: root, env: cleanEnvironment({ NODE_V8_COVERAGE: "" }) };
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    const { without, opened, used }: Record<string, string[]> = JSON.parse(stdout);
    const manifest = readFileSync(join(root, "tasks/package.json"), "utf8");
    const { dependencies, peerDependencies } = JSON.parse(manifest);
    const ours = Object.keys({ ...dependencies, ...peerDependencies });
    const added = ours.filter((name) => opened?.includes(name) && !without?.includes(name));
    // The description of the plugin that this one builds on.
    expect(added).to.have.members(["@nomicfoundation/hardhat-ignition"]);
    expect(used).to.include("ethers");
  });

  it("lets a process with a running test service end, and leaves nothing behind", async () => {
    const script = join(root, "test/fixtures/signer/serviceOfTest.ts");
    const env = cleanEnvironment({ TMPDIR: await temporaryFolder(), NODE_V8_COVERAGE: "" });
    const options = { cwd: root, env, timeout: 60_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    expect(JSON.parse(stdout)).to.deep.equal({ status: 200, left: [] });
  });
});
