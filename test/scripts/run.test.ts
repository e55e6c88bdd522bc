import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { isInstalled, npmCommand, npmCommandWithNode, programOf } from "../../scripts/npm.mjs";
import { startProcess } from "../fixtures/process.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** A folder with the script, and in place of npm a program of the test's. */
async function fixture(npm: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
  await writeFile(join(folder, "bin/npm"), `#!${process.execPath}\n${npm}`);
  await chmod(join(folder, "bin/npm"), 0o755);
  await writeFile(
    join(folder, "package.json"),
    '{ "devDependencies": {}, "workspaces": ["packages/*", "test/tools"] }',
  );
  await writeFile(join(folder, "package-lock.json"), "{}");
  for (const file of ["run.mjs", "npm.mjs"]) await copyFile(join("scripts", file), join(folder, file));
  const PATH = [join(folder, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    folder,
    start: (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      startProcess(process.execPath, ["run.mjs", ...args], {
        cwd: folder,
        env: { ...process.env, ...env, PATH },
        // A terminal, too, sends a signal to the whole process group.
        detached: true,
      }),
  };
}

/** Tells how it is called, and with what it was told by its environment. */
const telling = `const { NODE_ENV, npm_config_omit, npm_config_ignore_scripts } = process.env;
console.log(JSON.stringify({ args: process.argv.slice(2), NODE_ENV, npm_config_omit, npm_config_ignore_scripts }));`;

describe("scripts/run.mjs", () => {
  it("stops npm at Ctrl-C, so that none writes to the folder while the next start installs", async () => {
    // Goes on after a SIGINT, as npm does until it has installed everything. It ends with its test, at the latest.
    const { start } = await fixture(`process.on("SIGINT", () => undefined);
console.log("installs as", process.pid);
setTimeout(() => undefined, 50_000);`);
    const install = start([]);
    const [pid] = /\d+$/.exec(await install.waitFor(/installs as \d+/)) ?? [];
    expect(await install.stop("SIGINT")).to.equal(1);
    expect(install.output()).to.include("Installing dependencies was stopped.");
    expect(() => process.kill(Number(pid), 0)).to.throw("ESRCH");
  });

  it("installs development packages and runs their scripts, whatever npm and the shell are set to", async () => {
    const { start } = await fixture(telling);
    const install = start(["node", "-p", "'it runs'"], {
      NODE_ENV: "production",
      npm_config_omit: "dev",
      npm_config_ignore_scripts: "true",
    });
    const told = JSON.parse(await install.waitFor(/^\{.*\}$/m));
    expect(told.args).to.include.members([
      "ci",
      "--include=dev",
      "--include=optional",
      "--ignore-scripts=false",
    ]);
    expect(told).to.have.all.keys("args");
    await install.waitFor(/^it runs$/m);
    expect(await install.waitForEnd()).to.equal(0);
  });

  it("installs packages that tests need for --all only, and none that is there", async () => {
    const { folder, start } = await fixture(telling);
    const installed = async (...args: string[]) => {
      const run = start([...args, "node", "-p", "'it runs'"]);
      expect(await run.waitForEnd()).to.equal(0);
      expect(run.output()).to.match(/^it runs$/m);
      const [, workspaces] = /--include-workspace-root","(.*?)"/.exec(run.output()) ?? [];
      return workspaces;
    };
    expect(await installed()).to.equal("--workspace=packages");
    expect(await installed()).to.equal(undefined);
    expect(await installed("--all")).to.equal("--workspaces=true");
    expect(await installed("--all")).to.equal(undefined);
    expect(await installed()).to.equal(undefined);
    await writeFile(join(folder, "package-lock.json"), '{ "changed": true }');
    expect(await installed()).to.equal("--workspace=packages");
  });

  it("takes what `npm install` has installed, if nothing is missing and scripts have run", async () => {
    const { folder, start } = await fixture(telling);
    const locked = { version: "1.0.0", integrity: "sha512-a" };
    const elsewhere = { ...locked, optional: true, os: ["nowhere"] };
    const here = { ...locked, optional: true, os: [process.platform], cpu: [process.arch] };
    const write = async (file: string, packages: object) => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), JSON.stringify({ packages }));
    };
    const lock = { "": {}, "node_modules/a": locked, "node_modules/b": elsewhere, "node_modules/c": here };
    await write("package-lock.json", lock);
    await write("node_modules/.package-lock.json", { "node_modules/a": locked, "node_modules/c": here });
    expect(isInstalled(folder), "no script has run").to.equal(false);
    await mkdir(join(folder, "node_modules/node/bin"), { recursive: true });
    await writeFile(join(folder, "node_modules/node/bin/node"), "");
    const run = start(["--all", "node", "-p", "'it runs'"]);
    expect(await run.waitForEnd()).to.equal(0);
    expect(run.output())
      .to.match(/^it runs$/m)
      .and.not.include("Installing dependencies");
    await write("node_modules/.package-lock.json", { "node_modules/a": locked });
    expect(isInstalled(folder), "this machine's optional package is missing").to.equal(false);
    const another = { ...locked, integrity: "sha512-b" };
    await write("node_modules/.package-lock.json", { "node_modules/a": another, "node_modules/c": here });
    expect(isInstalled(folder), "another tarball").to.equal(false);
    await write("node_modules/.package-lock.json", { "node_modules/a": locked });
    const { platform, arch } = process;
    for (const [name, place, expected] of [
      ["a-missing-one", { os: [platform] }, false],
      ["of-any-processor", { os: [platform], cpu: ["any"] }, false],
      ["of-another-processor", { os: [platform], cpu: ["none"] }, true],
      ["of-several", { os: ["nowhere", platform], cpu: ["none", arch] }, false],
      ["of-linux-musl", { os: [platform], cpu: [arch] }, true],
    ] as const) {
      const optional = { ...locked, optional: true, ...place };
      await write("package-lock.json", { "node_modules/a": locked, [`node_modules/${name}`]: optional });
      expect(isInstalled(folder), name).to.equal(expected);
    }
  });

  it("installs packages again after npm failed, and does not run the command", async () => {
    const { folder, start } = await fixture("process.exit(1);");
    for (const attempt of [1, 2]) {
      const run = start(["node", "-p", "'it runs'"]);
      expect(await run.waitForEnd(), `${attempt}`).to.equal(1);
      expect(run.output())
        .to.include("Installing dependencies failed; see above.")
        .and.not.include("it runs");
    }
    expect(await readFile(join(folder, "node_modules/.installed-lock"), "utf8").catch(() => "none")).to.equal(
      "none",
    );
  });

  it("makes the folder for temporary files, if it is missing", async () => {
    const { folder, start } = await fixture("");
    const TMPDIR = join(folder, "missing/tmp");
    const run = start(["node", "-p", "fs.existsSync(os.tmpdir())"], { TMPDIR });
    expect(await run.waitForEnd()).to.equal(0);
    expect(run.output()).to.match(/^true$/m);
  });

  it("runs npm on Windows without a shell, which would split its arguments at spaces", () => {
    const node = "C:\\Program Files\\nodejs\\node.exe";
    const npm = "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js";
    const windows = { platform: "win32", execPath: node, env: {}, exists: (file: string) => file === npm };
    expect(npmCommand(["ci", "--no-audit"], windows)).to.deep.equal([node, npm, "ci", "--no-audit"]);
    // The old npm's shell takes the last word as one line. There, `node` is the new one.
    expect(npmCommandWithNode("24.21.0", ["ci", "--no-audit"], windows)).to.deep.equal([
      node,
      npm,
      "exec",
      "--yes",
      "--ignore-scripts=false",
      "--workspaces=false",
      "--package",
      "node@24.21.0",
      "--call",
      `node "${npm}" ci --no-audit`,
    ]);
    // Started with another Node, by a package manager that is not npm.
    const elsewhere = {
      ...windows,
      execPath: "D:\\node\\node.exe",
      env: { npm_execpath: "C:\\yarn\\yarn.js", Path: "C:\\Windows;C:\\Program Files\\nodejs" },
    };
    expect(npmCommand(["ci"], elsewhere)).to.deep.equal(["D:\\node\\node.exe", npm, "ci"]);
    expect(() => npmCommand(["ci"], { ...windows, exists: () => false })).to.throw("npm was not found");
    expect(npmCommand(["ci"], { ...windows, platform: "linux" })).to.deep.equal(["npm", "ci"]);

    const pinned = programOf("node", { platform: "win32", exists: () => true });
    expect(pinned).to.match(/node_modules\\node\\bin\\node\.exe$/);
    expect(programOf("node", { platform: "linux", exists: () => true })).to.equal("node");
    expect(programOf("hardhat", { platform: "win32", exists: () => true })).to.equal("hardhat");
  });

  it("keeps the product's own loopback from a proxy of the environment", async () => {
    const { start } = await fixture("");
    const added = "localhost,127.0.0.1,::1,[::1]";
    for (const [name, given, both] of [
      ["NO_PROXY", "intranet.example", `intranet.example,${added}`],
      ["no_proxy", "intranet.example", `intranet.example,${added}`],
      ["NO_PROXY", "*", "*"],
    ] as const) {
      const run = start(["node", "-p", "JSON.stringify([process.env.NO_PROXY, process.env.no_proxy])"], {
        NO_PROXY: undefined,
        no_proxy: undefined,
        [name]: given,
      });
      expect(await run.waitForEnd()).to.equal(0);
      expect(run.output()).to.include(JSON.stringify([both, both]));
    }
  });

  it("ends with the exit code of the command, which it passes a SIGTERM", async () => {
    const { start } = await fixture("");
    expect(await start(["node", "-e", "process.exit(7)"]).waitForEnd()).to.equal(7);
    const ending = start([
      "node",
      "-e",
      "process.on('SIGTERM', () => process.exit(8)); setInterval(() => {}, 1e4); console.log('waits')",
    ]);
    await ending.waitFor(/^waits$/m);
    expect(await ending.stop("SIGTERM")).to.equal(8);
  });
});
