/** Puts parts, joined by a space, on lines of at most `width` characters; a longer part gets a line of its own. */
export function breakLines(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + part.length > width) lines.push(part);
    else lines[lines.length - 1] = `${line} ${part}`;
  }
  return lines;
}
