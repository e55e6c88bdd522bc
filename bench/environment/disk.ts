import { open } from "node:fs/promises";
import { join } from "node:path";
import { quantile } from "../report/report.ts";

/** About the bytes that a row of the audit trail adds to SQLite's log. */
const size = 12_000;
const count = 1_000;

/** Measures the disk's flushes as the audit trail makes them, on an otherwise idle machine. Returns a sentence. */
export async function measureFlush(folder: string): Promise<string> {
  const file = await open(join(folder, "flushed"), "w");
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    await file.write(Buffer.alloc(size, i), 0, size, (i % 100) * size);
    const start = performance.now();
    await file.datasync();
    times.push(performance.now() - start);
  }
  await file.close();
  const [usual, slow] = [0.5, 0.99].map((part) => quantile(times, part).toFixed(2));
  return `The disk flushes ${size / 1_000} kB in ${usual} ms, and in ${slow} ms in the slowest hundredth.`;
}
