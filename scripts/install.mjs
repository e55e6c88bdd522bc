// Runs before `npm start` and `npm test`: installs from the lock file when node_modules is missing or stale.
// It must be plain JavaScript without dependencies, because it runs on the machine's own version of Node.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
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
  const { status } = spawnSync(command[0], command.slice(1), {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("Installing dependencies failed; see above. Nothing was started.");
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
