import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

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
