import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { rejection } from "../fixtures/rejection.ts";
import { cleanEnvironment } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** How a project with an older Hardhat loads the plugin, and the error. */
const older = [
  {
    version: "3.12.0",
    file: "hardhat.config.mjs",
    text: 'import "hardhat-identity";',
    error:
      "hardhat-identity needs Hardhat 3.17.0 or newer, and this project has Hardhat 3.12.0. Update it: npm install",
  },
  {
    version: "2.26.0",
    file: "hardhat.config.cjs",
    text: 'require("hardhat-identity");',
    error: "hardhat-identity is a plugin for Hardhat 3.17.0 or newer, whose configuration is an ES module",
  },
];

/** A project with the packed plugin, and a Hardhat that says that it has another version. */
async function projectWith(version: string): Promise<string> {
  const folder = await temporaryFolder();
  const installed = realpathSync(join(freshProject().folder, "node_modules"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(installed)) {
    const isCopied = name === "hardhat" || name === "hardhat-identity";
    if (isCopied) cpSync(realpathSync(join(installed, name)), join(modules, name), { recursive: true });
    else symlinkSync(join(installed, name), join(modules, name));
  }
  const manifest = join(modules, "hardhat/package.json");
  const changed = { ...JSON.parse(readFileSync(manifest, "utf8")), version };
  writeFileSync(manifest, JSON.stringify(changed));
  return folder;
}

describe("The plugin in a project with an older Hardhat", function () {
  this.timeout(300_000);

  for (const { version, file, text, error } of older) {
    it(`names the version that it needs: ${version}`, async () => {
      const cwd = await projectWith(version);
      writeFileSync(join(cwd, file), text);
      const load = promisify(execFile)(process.execPath, [file], { cwd, env: cleanEnvironment() });
      expect((await rejection(load)).message).to.include(error);
    });
  }
});
