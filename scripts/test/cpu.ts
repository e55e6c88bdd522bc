import { readFileSync } from "node:fs";

/** Linux counts the CPU time of ended children in hundredths of a second. */
const msPerTick = 10;

/** Returns the milliseconds of CPU time that this process and, on Linux, its ended children have taken. */
export function readCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + readChildren();
}

function readChildren(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "latin1");
  // The program's name, in parentheses, may contain spaces; see proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}
