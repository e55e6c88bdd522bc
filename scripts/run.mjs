// `node scripts/run.mjs [--all] [command …]`: installs from the lock file when node_modules is missing or stale, and runs a
// command with the pinned Node. Without --all it installs what `npm start` needs, with it also what tests need.
//
// It must be plain JavaScript without dependencies, because it runs on the machine's own version of Node. npm's `pre…`
// scripts could install, too, but do not run where npm is told to ignore scripts, nor with Yarn.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { delimiter, resolve } from "node:path";
import { isInstalled, npmCommand, npmCommandWithNode, programOf } from "./npm.mjs";

const windows = process.platform === "win32";
const all = process.argv[2] === "--all";
const [command, ...args] = process.argv.slice(all ? 3 : 2);
const { devDependencies, workspaces } = JSON.parse(readFileSync("package.json", "utf8"));
const lock = createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const stamp = "node_modules/.installed-lock";
const installed = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";

// Programs here need it, and a shell may name one that is gone.
mkdirSync(tmpdir(), { recursive: true });

if (installed === `${lock} all` || (!all && installed === `${lock} start`)) {
  // Nothing has changed.
} else if (isInstalled()) writeFileSync(stamp, `${lock} all`);
else {
  // Settings of the machine's npm that would leave out what the next step needs. Of the dependencies, only those of
  // `allowScripts` in package.json run scripts.
  const product = workspaces.filter((folder) => folder !== "test/tools");
  const chosen = all
    ? "--workspaces=true"
    : product.map((folder) => `--workspace=${folder.replace("/*", "")}`).join(" ");
  const ci =
    "ci --no-audit --no-fund --include=dev --include=optional --include=peer --ignore-scripts=false " +
    "--install-strategy=hoisted --legacy-peer-deps=false --engine-strict=false --package-lock=true --bin-links=true " +
    `--dry-run=false --global=false --offline=false --include-workspace-root ${chosen}`;
  const major = Number(process.versions.node.split(".")[0]);
  // On an older Node, npm silently skips Hardhat's native package, whose `engines` require Node 22.
  const [installer, ...options] =
    major >= 22 ? npmCommand(ci.split(" ")) : npmCommandWithNode(devDependencies.node, ci.split(" "));
  // An installation that is cut off must not count.
  rmSync(stamp, { force: true });
  console.log(`Installing dependencies from package-lock.json (Node ${process.versions.node}) …`);
  const { NODE_ENV: _, ...env } = process.env;
  // npm passes its settings to scripts in variables. These would win over the same settings of another form.
  for (const name of Object.keys(env)) {
    if (/^npm_config_(omit|include|only|production|dev|also|workspaces?|ignore_scripts)$/i.test(name))
      delete env[name];
  }
  // npm goes on after Ctrl-C, and would write to node_modules while the next start installs. So it and its own processes
  // get a group that is killed whole.
  const npm = spawn(installer, options, { stdio: "inherit", detached: !windows, env });
  let stopped = false;
  const stop = () => {
    stopped = true;
    if (!windows) process.kill(-npm.pid, "SIGKILL");
  };
  for (const signal of signals) process.on(signal, stop);
  const [status] = await once(npm, "exit");
  if (status !== 0) {
    const what = stopped ? "was stopped" : "failed; see above";
    console.error(`Installing dependencies ${what}. Nothing was started.`);
    process.exit(1);
  }
  for (const signal of signals) process.off(signal, stop);
  writeFileSync(stamp, `${lock} ${all ? "all" : "start"}`);
}

if (command !== undefined) {
  const PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;
  // The product talks to itself on loopback, which a proxy of the environment cannot reach. Node reads both spellings.
  // `fetch` compares with an IPv6 address in brackets. A star means all hosts only if it stands alone.
  const listed = process.env.NO_PROXY ?? process.env.no_proxy;
  const both = [listed, "localhost,127.0.0.1,::1,[::1]"].filter(Boolean).join(",");
  const NO_PROXY = listed === "*" ? listed : both;
  const env = { ...process.env, PATH, NO_PROXY, no_proxy: NO_PROXY };
  const child = spawn(programOf(command), args, { stdio: "inherit", env });
  // A terminal sends Ctrl-C to the child as well.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  process.exitCode = code ?? 128 + constants.signals[signal];
}
