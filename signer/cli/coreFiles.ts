import { spawnSync } from "node:child_process";

/**
 * Has the system write no core file when this process, or one that it starts, crashes: in its memory are the keys. Linux alone has a program
 * for it (`prlimit`, of util-linux).
 *
 * @returns Whether it is so now.
 */
export function forbidCoreFiles(): boolean {
  if (process.platform !== "linux") return false;
  const limit = ["--core=0:0", "--pid", String(process.pid)];
  return spawnSync("prlimit", limit, { stdio: "ignore" }).status === 0;
}
