import { mutateSolidity } from "./mutateSolidity.ts";
import { mutateTypeScript } from "./mutateTypeScript.ts";

/** A small change of the code, made from its syntax tree, that tests should notice. */
export interface Mutant {
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  /** The code before and after, on one line each. */
  readonly from: string;
  readonly to: string;
  /** The whole file with the change. */
  readonly text: string;
}

/** Makes every mutant of a source file: a statement removed, an operator swapped, or a condition negated. */
export function makeMutants(file: string, text: string): Mutant[] {
  const edits = file.endsWith(".sol") ? mutateSolidity(file, text) : mutateTypeScript(file, text);
  return edits
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, to, shown: [first, last] = [start, end] }) => ({
      file,
      line: text.slice(0, start).split("\n").length,
      from: onOneLine(text.slice(first, last)),
      to: onOneLine(text.slice(first, start) + to + text.slice(end, last)),
      text: text.slice(0, start) + to + text.slice(end),
    }));
}

const onOneLine = (code: string) => code.replaceAll(/\s+/g, " ").trim();
