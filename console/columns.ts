import { visibleLine } from "./print.ts";

/** Lays out names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: string | number | bigint])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => visibleLine(`${name.padEnd(width)}  ${value}`)).join("\n");
}
