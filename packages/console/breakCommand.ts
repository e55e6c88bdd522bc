/** Breaks a shell command before options, so that it fits 100 columns and can still be pasted; not for Windows' shells. */
export function breakCommand(command: string): string {
  if (process.platform === "win32") return command;
  const lines: string[] = [];
  for (const part of command.split(/ (?=-)/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + part.length > 94) lines.push(part);
    else lines[lines.length - 1] = `${line} ${part}`;
  }
  return lines.join(" \\\n  ");
}
