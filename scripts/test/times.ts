import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const path = "cache/test-times.json";

/** How long each test file took when it last ran, in milliseconds, by its path. */
export function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

/** Keeps the times of a run, beside those of files that were not part of it. */
export function writeTimes(times: Readonly<Record<string, number>>): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...readTimes(), ...times }, null, 1)}\n`);
}
