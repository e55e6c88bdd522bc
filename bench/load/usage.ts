import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What a process and those that it has started use. */
export interface Usage {
  /** User and system, of all of them. */
  readonly cpuSeconds: number;
  /** Of the largest one. */
  readonly residentBytes: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Linux tells programs the time in hundredths of a second, whatever it counts itself. */
const ticks = 100;

export function readUsage(pid: number): Usage {
  const all = process.platform === "linux" ? readFromProc() : readFromPs();
  const family = all.filter((one) => one.pid === pid);
  // Grows while it is walked.
  for (const { pid: parent } of family) family.push(...all.filter((one) => one.parent === parent));
  return {
    cpuSeconds: family.reduce((sum, one) => sum + one.cpuSeconds, 0),
    residentBytes: Math.max(0, ...family.map((one) => one.residentBytes)),
  };
}

/** What a process has open. Linux alone tells; elsewhere it is nothing, always. */
export function countOpen(pid: number): { sockets: number; files: number } {
  if (process.platform !== "linux") return { sockets: 0, files: 0 };
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  const sockets = open.filter((path) => path.startsWith("socket:")).length;
  return { sockets, files: open.length - sockets };
}

function readFromProc(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        // The program's name, in brackets, may have spaces; see proc(5).
        const fields = stat
          .slice(stat.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
        const [, parent = 0] = fields;
        const [user = 0, system = 0] = fields.slice(11);
        const [, kilobytes = 0] =
          /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "latin1")) ?? [];
        const cpuSeconds = (user + system) / ticks;
        return [{ pid: Number(name), parent, cpuSeconds, residentBytes: Number(kilobytes) * 1_024 }];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

function readFromPs(): Process[] {
  const output = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,time="], { encoding: "utf8" });
  return output.split("\n").flatMap((line) => {
    const [pid, parent, kilobytes, time] = line.trim().split(/\s+/);
    if (time === undefined) return [];
    const cpuSeconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0);
    return [
      { pid: Number(pid), parent: Number(parent), cpuSeconds, residentBytes: Number(kilobytes) * 1_024 },
    ];
  });
}
