// Runs before `npm start` and `npm test`: installs from the lock file when node_modules is missing or stale.
// It must be plain JavaScript without dependencies, because it runs on the machine's own version of Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const lock = createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");
const stamp = "node_modules/.installed-lock";

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
  const major = Number(process.versions.node.split(".")[0]);
  // On an older Node, npm silently skips Hardhat's native package, whose `engines` require Node 22.
  const command =
    major >= 22
      ? ["npm", "ci", "--no-audit", "--no-fund"]
      : [
          "npx",
          "--yes",
          "--package",
          `node@${devDependencies.node}`,
          "--call",
          "npm ci --no-audit --no-fund",
        ];
  console.log(`Installing dependencies from package-lock.json (Node ${process.versions.node}) …`);
  const windows = process.platform === "win32";
  // npm goes on after Ctrl-C, and would write to node_modules while the next start installs. So it and its own processes
  // get a group that is killed whole.
  const npm = spawn(command[0], command.slice(1), { stdio: "inherit", shell: windows, detached: !windows });
  let stopped = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      stopped = true;
      if (!windows) process.kill(-npm.pid, "SIGKILL");
    });
  }
  const [status] = await once(npm, "exit");
  if (status !== 0) {
    const what = stopped ? "was stopped" : "failed; see above";
    console.error(`Installing dependencies ${what}. Nothing was started.`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
