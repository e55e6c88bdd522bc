import { breakLines } from "./breakLines.ts";

/** Breaks a shell command before options, so that it fits 80 columns and can still be pasted; not for Windows' shells. */
export function breakCommand(command: string): string {
  if (process.platform === "win32") return command;
  return breakLines(command.split(/ (?=-)/), 76).join(" \\\n  ");
}
