import { readFileSync, writeFileSync } from "node:fs";
import { format } from "prettier";
import { survivors } from "../../test/faults/survivors.ts";
import { targets } from "../../test/faults/targets.ts";

/** The faults and mutants of a file, and how many of them the tests noticed. */
export interface FileRecord {
  /** When it was tried, as YYYY-MM-DD, and on which commit. */
  readonly date: string;
  readonly commit: string;
  readonly faults: Count;
  readonly mutants: Count;
  readonly survivors: readonly { readonly line: number; readonly from: string; readonly to: string }[];
}

interface Count {
  readonly tried: number;
  readonly noticed: number;
}

/** File → what was tried on it. */
export type Records = Readonly<Record<string, FileRecord>>;

const page = new URL("../../docs/auditors.md", import.meta.url);
const recordFile = new URL("../../test/faults/record.json", import.meta.url);
const start = "<!-- Written by npm run faults -->";
const end = "<!-- until here -->";

/** Reads what was tried last on each file. */
export function readRecords(): Records {
  return JSON.parse(readFileSync(recordFile, "utf8"));
}

/** Adds what was tried, and writes it to the page for auditors. */
export async function writeRecords(tried: Records): Promise<void> {
  const all = { ...readRecords(), ...tried };
  const records = Object.fromEntries(
    targets.flatMap(({ file }) => (all[file] === undefined ? [] : [[file, all[file]]])),
  );
  writeFileSync(recordFile, `${JSON.stringify(records, undefined, 2)}\n`);
  const text = readFileSync(page, "utf8");
  const [before, after] = [text.split(start)[0], text.split(end)[1]];
  if (after === undefined) throw new Error(`docs/auditors.md needs the lines ${start} and ${end}.`);
  writeFileSync(page, `${before}${start}\n\n${await renderRecords(records)}\n\n${end}${after}`);
}

/** Returns the part of a page for auditors that {@link writeRecords} wrote. */
export function readWritten(text: string): string {
  return text.split(start)[1]?.split(end)[0]?.trim() ?? "";
}

/** Composes the table of what was tried, and the list of what nobody noticed. */
export async function renderRecords(records: Records): Promise<string> {
  if (Object.keys(records).length === 0) return "";
  const rows = Object.entries(records).map(([file, { faults, mutants, date, commit }]) => [
    `[\`${file.replace(/^.*\//, "")}\`](../${file})`,
    count(faults),
    count(mutants),
    `${date}, \`${commit}\``,
  ]);
  const heads = ["File", "Planted faults noticed", "Mutants noticed", "On, at commit"];
  const table = [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const alive = Object.entries(records).flatMap(([file, { survivors, commit }]) =>
    survivors.map((survivor) => describeSurvivor(file, commit, survivor)),
  );
  const text = `${table.join("\n")}\n\n${alive.join("\n")}`;
  return (await format(text, { parser: "markdown", printWidth: 120 })).trim();
}

const count = ({ tried, noticed }: Count) => (tried === 0 ? "not run" : `${noticed} of ${tried}`);

/** For a survivor that no one has explained yet, which a test refuses. */
export const unexplained = "Nobody has explained this one.";

function describeSurvivor(
  file: string,
  commit: string,
  { line, from, to }: FileRecord["survivors"][number],
): string {
  const found = survivors.find((each) => each.file === file && each.from === from && each.to === to);
  const place = `https://github.com/hardhat-identity/hardhat-identity/blob/${commit}/${file}#L${line}`;
  const name = `${file.replace(/^.*\//, "")}:${line}`;
  const change =
    to === "{}" || to === ";" || to === "" ? `without ${code(from)}` : `${code(from)} as ${code(to)}`;
  return `- [${name}](${place}), ${change}: ${found?.why ?? unexplained}`;
}

const code = (text: string) => `\`${text}\``;
