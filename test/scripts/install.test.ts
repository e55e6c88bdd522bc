import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Goes on after a SIGINT, as npm does until it has installed everything. It ends with its test, at the latest. */
const npm = `#!${process.execPath}
process.on("SIGINT", () => undefined);
console.log("installs as", process.pid);
setTimeout(() => undefined, 50_000);
`;

describe("The installation before npm start", () => {
  it("ends at Ctrl-C, and leaves no npm behind that writes to the folder", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/npm"), npm);
    await chmod(join(folder, "bin/npm"), 0o755);
    await writeFile(join(folder, "package.json"), '{ "devDependencies": {} }');
    await writeFile(join(folder, "package-lock.json"), "{}");
    await copyFile("scripts/install.mjs", join(folder, "install.mjs"));
    const path = [join(folder, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
    const install = startProcess(process.execPath, ["install.mjs"], {
      cwd: folder,
      env: { ...process.env, PATH: path },
      // A terminal, too, sends the signal to the whole process group.
      detached: true,
    });
    const [pid] = /\d+$/.exec(await install.waitFor(/installs as \d+/)) ?? [];
    expect(await install.stop("SIGINT")).to.equal(1);
    expect(install.output()).to.include("Installing dependencies was stopped.");
    expect(() => process.kill(Number(pid), 0)).to.throw("ESRCH");
  });
});
