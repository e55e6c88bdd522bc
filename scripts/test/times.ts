import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const path = "cache/test-times.json";

/** Reads the duration of each test file's last run: path → milliseconds. */
export function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/** Stores the durations of a run, and keeps those of other files. */
export function writeTimes(times: Readonly<Record<string, number>>): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...readTimes(), ...times }, null, 1)}\n`);
}
