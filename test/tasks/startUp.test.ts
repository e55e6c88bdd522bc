import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root, runHardhat } from "../fixtures/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The plugin", () => {
  it("loads nothing but its own description before one of its tasks runs", async () => {
    const trace = join(await temporaryFolder(), "modules");
    const preload = pathToFileURL(join(root, "test/fixtures/traceModules.mjs"));
    const { code } = await runHardhat(["identity", "mint", "--help"], {
      env: { NODE_OPTIONS: `--import ${preload}`, TRACED_MODULES: trace },
    });
    expect(code).to.equal(0);
    const here = `${pathToFileURL(root)}/`;
    const loaded = (await readFile(trace, "utf8"))
      .split("\n")
      .filter((url) => url.startsWith(here) && !url.includes("/node_modules/"))
      .map((url) => url.slice(here.length).replace(/\?.*/, ""));
    expect(loaded.filter((file) => !/^(hardhat\.config|scripts\/)/.test(file))).to.have.members([
      "tasks/index.ts",
      "tasks/type-extensions.ts",
      "tasks/hooks/config.ts",
      "tasks/internal/localNetwork.ts",
    ]);
  });
});
