import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Linux reports CPU time in hundredths of a second, whatever its own unit. */
const ticks = 100;

/** Reads the usage of a process and its descendants: the CPU time of all, user and system, and the largest memory. */
export function readUsage(pid: number): Pick<Process, "cpuSeconds" | "residentBytes"> {
  const all = process.platform === "linux" ? readFromProc() : readFromPs();
  const family = all.filter((one) => one.pid === pid);
  // The list grows during the loop.
  for (const { pid: parent } of family) family.push(...all.filter((one) => one.parent === parent));
  return {
    cpuSeconds: family.reduce((sum, one) => sum + one.cpuSeconds, 0),
    residentBytes: Math.max(0, ...family.map((one) => one.residentBytes)),
  };
}

/** Counts the open sockets and files of a process, on Linux only. Elsewhere the counts are always 0. */
export function countOpen(pid: number): { sockets: number; files: number } {
  if (process.platform !== "linux") return { sockets: 0, files: 0 };
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // It was closed in the meantime.
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
        // The program's name, in parentheses, may contain spaces; see proc(5).
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
        // The process has ended in the meantime.
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

/** Arguments that open Node's inspector on a free port, which Node prints. */
export const inspected: readonly string[] = ["--inspect=127.0.0.1:0"];

/**
 * Makes a process collect its garbage, and returns the remaining size of its heap in bytes.
 *
 * @param output The output of the process, which was started with {@link inspected}.
 */
export async function collectHeap(output: string): Promise<number> {
  const [, url] = /^Debugger listening on (ws:\S+)$/m.exec(output) ?? [];
  if (url === undefined) throw new Error("The process cannot be inspected.");
  const socket = new WebSocket(url);
  await once(socket, "open");
  const ask = async (method: string): Promise<{ usedSize?: number }> => {
    socket.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = await once(socket, "message");
    return JSON.parse(String(data)).result;
  };
  // Twice: the first collection runs finalizers, whose objects only the second one collects.
  await ask("HeapProfiler.collectGarbage");
  await ask("HeapProfiler.collectGarbage");
  const { usedSize = Number.NaN } = await ask("Runtime.getHeapUsage");
  socket.close();
  return usedSize;
}
