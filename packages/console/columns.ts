import { style, visibleLine } from "./print.ts";

/** Names that are a verdict. Node leaves the colour out where there is no terminal, or NO_COLOR is set. */
const verdicts: Readonly<Record<string, "green" | "red">> = {
  Verified: "green",
  Accepted: "green",
  Refused: "red",
  Failed: "red",
};

/** Lays out names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: string | number | bigint])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, value]) => {
      const colour = verdicts[name];
      const padded = name.padEnd(width);
      return visibleLine(`${colour ? style(colour, padded) : padded}  ${value}`);
    })
    .join("\n");
}
