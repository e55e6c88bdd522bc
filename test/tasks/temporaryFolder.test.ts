import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { removeFolder, temporaryFolder } from "../../tasks/internal/temporaryFolder.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { temporaryFolder as folderOfTest } from "../fixtures/temporaryFolder.ts";

describe("A folder of a stack or of a test's service", () => {
  it("adds no listener to the process, so Node does not warn about many", () => {
    const before = process.listenerCount("exit");
    for (let i = 0; i < 2; i++) {
      const folder = temporaryFolder("hardhat-identity-test-");
      expect(existsSync(folder)).to.equal(true);
      removeFolder(folder);
      expect(existsSync(folder)).to.equal(false);
    }
    expect(process.listenerCount("exit")).to.equal(before);
  });

  it("is removed at the exit, though another cannot be, and the exit code stays", async () => {
    const place = await folderOfTest();
    const code = `import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { temporaryFolder } = await import(${JSON.stringify(new URL("../../tasks/internal/temporaryFolder.ts", import.meta.url))});
      const open = temporaryFolder("open-");
      temporaryFolder("closed-");
      const { rmSync } = fs;
      fs.rmSync = (folder, options) => {
        if (folder === open) throw new Error("EBUSY");
        rmSync(folder, options);
      };
      syncBuiltinESMExports();`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      env: { ...process.env, TMPDIR: place },
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(0);
    expect(readdirSync(place)).to.have.length(1).and.to.have.nested.property("[0]").that.includes("open-");
  });

  it("is made in a TMPDIR that is missing, and names one that cannot be used", async () => {
    const place = await folderOfTest();
    const missing = join(place, "missing", "tmp");
    setEnvironment({ TMPDIR: missing });
    expect(dirname(temporaryFolder("hardhat-identity-test-"))).to.equal(missing);
    const file = join(place, "file");
    writeFileSync(file, "");
    setEnvironment({ TMPDIR: file });
    expect(() => temporaryFolder("hardhat-identity-test-")).to.throw(
      InvalidInputError,
      `Temporary files need a folder, and ${file} cannot be used (EEXIST); set TMPDIR to one that you can write to.`,
    );
  });
});
