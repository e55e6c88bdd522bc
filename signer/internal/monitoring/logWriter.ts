import { writeSync } from "node:fs";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";

/** Bytes of lines from which they are written at once, and the greatest number that wait for a reader or for a disk. */
const batchBytes = 2_048;
const maxWaitingBytes = 1024 * 1024;

/** Milliseconds until fewer lines are written, or until the next try; and until the next one with a slow reader. */
const lineDelayMs = 100;
const readerDelayMs = 10;

/** Milliseconds for which the end of the process waits for a slow reader. */
const lastWaitMs = 1_000;

let output: { write(line: string): void } | undefined;
let lost = 0;

/** The number of lines that this process could not write to its log. */
export const countLostLines = (): number => lost;

/**
 * Returns the one destination of the process, so that lines keep their order. It never throws and never blocks: the
 * service goes on without a log. Lines wait in memory while the disk is full or the reader is stuck. Beyond the limit,
 * lines are dropped and counted, and the log reports their number as soon as it can be written.
 *
 * This is not `pino.destination`, because that keeps only a part of these promises. With `sync: true` it waits where the
 * reader is slow, and the service with it. With `sync: false`, `flushSync` at the end of the process leaves out the batch
 * that is being written: with a slow reader, a process that wrote 5,000 lines lost 100 to 300 of them, uncounted. Here
 * every write is synchronous on a pipe that Node has made non-blocking, so no batch is ever under way.
 */
export function standardOutput(): { write(line: string): void } {
  if (output !== undefined) return output;
  // Node makes a pipe or a terminal non-blocking when it opens the stream.
  const { fd } = process.stdout;
  let waiting: Buffer[] = [];
  let size = 0;
  let toldLost = 0;
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  function add(line: string): void {
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    size += bytes.length;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    let rest = Buffer.concat(waiting);
    const before = problem;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      problem = undefined;
    } catch (error) {
      problem = systemErrorCode(error);
    }
    waiting = rest.length > 0 ? [rest] : [];
    size = rest.length;
    if (problem === undefined && lost > toldLost) tellLost(before);
    if (size > 0) timer = setTimeout(flush, problem === "EAGAIN" ? readerDelayMs : lineDelayMs).unref();
  }

  function tellLost(reason: string | undefined): void {
    const found = { level: 40, time: new Date().toISOString(), lost: lost - toldLost, reason };
    toldLost = lost;
    add(`${JSON.stringify({ ...found, msg: "Lines are missing here: the log could not be written." })}\n`);
  }

  process.once("exit", () => {
    const end = performance.now() + lastWaitMs;
    flush();
    while (problem === "EAGAIN" && performance.now() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, readerDelayMs);
      flush();
    }
  });
  output = {
    write(line) {
      if (size + line.length > maxWaitingBytes) {
        lost++;
        return;
      }
      add(line);
      if (size >= batchBytes && problem === undefined) flush();
      else timer ??= setTimeout(flush, lineDelayMs).unref();
    },
  };
  return output;
}
