import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** A folder with the script, and in place of npm a program of the test's. */
async function fixture(npm: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
  await writeFile(join(folder, "bin/npm"), `#!${process.execPath}\n${npm}`);
  await chmod(join(folder, "bin/npm"), 0o755);
  await writeFile(join(folder, "package.json"), '{ "devDependencies": {} }');
  await writeFile(join(folder, "package-lock.json"), "{}");
  await copyFile("scripts/run.mjs", join(folder, "run.mjs"));
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
      const [, workspaces] = /--workspaces=(true|false)/.exec(run.output()) ?? [];
      return workspaces;
    };
    expect(await installed()).to.equal("false");
    expect(await installed()).to.equal(undefined);
    expect(await installed("--all")).to.equal("true");
    expect(await installed("--all")).to.equal(undefined);
    expect(await installed()).to.equal(undefined);
    await writeFile(join(folder, "package-lock.json"), '{ "changed": true }');
    expect(await installed()).to.equal("false");
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

  it("keeps the product's own loopback from a proxy of the environment", async () => {
    const { start } = await fixture("");
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const run = start(["node", "-p", "JSON.stringify([process.env.NO_PROXY, process.env.no_proxy])"], {
        NO_PROXY: undefined,
        no_proxy: undefined,
        [name]: "intranet.example",
      });
      expect(await run.waitForEnd()).to.equal(0);
      const both = "intranet.example,localhost,127.0.0.1,::1";
      expect(run.output()).to.include(JSON.stringify([both, both]));
    }
  });

  it("ends with the exit code of the command, which it passes a SIGTERM", async () => {
    const { start } = await fixture("");
    expect(await start(["node", "-e", "process.exit(7)"]).waitForEnd()).to.equal(7);
    const ending = start([
      ...["node", "-e"],
      "process.on('SIGTERM', () => process.exit(8)); setInterval(() => {}, 1e4); console.log('waits')",
    ]);
    await ending.waitFor(/^waits$/m);
    expect(await ending.stop("SIGTERM")).to.equal(8);
  });
});
