import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The CPU time of a process, user and system, and its resident memory. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Linux reports CPU time in hundredths of a second, whatever its own unit. */
const ticks = 100;

export function readUsage(pid: number): Usage {
  if (process.platform !== "linux") return readFromPs(pid);
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The program's name, in parentheses, may contain spaces; see proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = fields.slice(11).map(Number) as [number, number];
  const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return { cpuSeconds: (user + system) / ticks, residentBytes: Number(kilobytes) * 1_024 };
}

function readFromPs(pid: number): Usage {
  const line = execFileSync("ps", ["-o", "rss=,time=", "-p", String(pid)], { encoding: "utf8" });
  const [kilobytes, time = ""] = line.trim().split(/\s+/);
  const cpuSeconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0);
  return { cpuSeconds, residentBytes: Number(kilobytes) * 1_024 };
}
