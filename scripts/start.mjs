// `npm start`: runs `hardhat identity dev`, and keeps the code that Node compiles. Hardhat's own command first loads a
// TypeScript loader, which the pinned Node does not need and which takes half a second. It still answers `--help`, global
// options and mistakes.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

// Compiling the contracts of tests would take a third of the first start.
process.env.BUILD_ONLY_SHIPPED = "true";
enableCompileCache("node_modules/.cache/compiled");

const { default: hre } = await import("hardhat");
const task = hre.tasks.getTask(["identity", "dev"]);
const given = readOptions();
if (given === undefined) runCommand();
else await task.run(given).catch(fail);

/** Returns the options by the names that the task knows them by; `undefined` for anything else than options of the task. */
function readOptions() {
  const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = new Map([...task.options.keys()].map((name) => [kebab(name), name]));
  const options = {};
  for (const [option, name] of names) {
    options[option] = { type: task.options.get(name).type === "FLAG" ? "boolean" : "string" };
  }
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(Object.entries(values).map(([option, value]) => [names.get(option), value]));
  } catch {
    return undefined;
  }
}

function runCommand() {
  const { bin } = JSON.parse(readFileSync("node_modules/hardhat/package.json", "utf8"));
  const command = [join("node_modules/hardhat", bin.hardhat), "identity", "dev", ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, command, { stdio: "inherit" }).status ?? 1;
}

function fail(error) {
  // The plugin's own errors say all that there is to say.
  console.error(error.name === "HardhatPluginError" ? `Error: ${error.message}` : error);
  process.exitCode = 1;
}
