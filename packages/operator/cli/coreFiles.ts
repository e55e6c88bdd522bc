import { spawnSync } from "node:child_process";

/**
 * Disables core files of this process and of those that it starts: they would contain the keys. Only Linux has a program for
 * it (`prlimit`, of util-linux).
 *
 * @returns Whether core files are disabled now.
 */
export function forbidCoreFiles(): boolean {
  if (process.platform !== "linux") return false;
  const limit = ["--core=0:0", "--pid", String(process.pid)];
  return spawnSync("prlimit", limit, { stdio: "ignore" }).status === 0;
}
