import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fault, splitTest } from "../../test/faults/fault.ts";
import { survivors } from "../../test/faults/survivors.ts";
import type { Mutant } from "./mutant.ts";
import { CompileError, type TestsInCopy } from "./runTests.ts";

/** A copy of the repository, in which a fault or a mutant is tried. */
export interface Copy {
  readonly folder: string;
  readonly tests: TestsInCopy;
}

/** The outcome of a fault or a mutant. */
export type Verdict =
  | { readonly kind: "noticed" }
  /** A mutant that does not compile was not tried. */
  | { readonly kind: "not compiled" }
  /** test/faults/survivors.ts says why no test can notice it. */
  | { readonly kind: "explained" }
  | { readonly kind: "unnoticed"; readonly reason: string };

const noticed: Verdict = { kind: "noticed" };

/** Puts a fault into the copy. Each of its tests must notice it. */
export async function tryFault({ file, from, to, tests }: Fault, copy: Copy): Promise<Verdict> {
  for (const test of tests) await requireSound(test, copy);
  const path = join(copy.folder, file);
  const text = readFileSync(path, "utf8");
  const count = text.split(from).length - 1;
  if (count !== 1) {
    return { kind: "unnoticed", reason: `The text to replace is in ${file} ${count} times:\n${from}` };
  }
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const needsBuild = file.endsWith(".sol") && tests.some((test) => !splitTest(test).file.endsWith(".sol"));
  try {
    if (needsBuild) await copy.tests.build();
    for (const test of tests) {
      if ((await copy.tests.findFailure(test)) === undefined) {
        return { kind: "unnoticed", reason: `${test} does not notice it.` };
      }
    }
    return noticed;
  } finally {
    writeFileSync(path, text);
    if (needsBuild) await copy.tests.build();
  }
}

/** Puts a mutant into the copy. One of the test files must notice it. */
export async function tryMutant(mutant: Mutant, files: readonly string[], copy: Copy): Promise<Verdict> {
  const isSolidity = mutant.file.endsWith(".sol");
  if (isSolidity) await requireSoundContracts(files, copy);
  else for (const file of files) await requireSound(file, copy);
  const path = join(copy.folder, mutant.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, mutant.text);
  try {
    const isNoticed = isSolidity ? await failContracts(files, copy) : await failAny(files, copy);
    if (isNoticed) return noticed;
    if (isExplained(mutant)) return { kind: "explained" };
    return { kind: "unnoticed", reason: "No test notices it." };
  } catch (error) {
    if (error instanceof CompileError) return { kind: "not compiled" };
    throw error;
  } finally {
    writeFileSync(path, text);
  }
}

async function failAny(files: readonly string[], { tests }: Copy): Promise<boolean> {
  for (const file of files) if (await tests.findFailure(file)) return true;
  return false;
}

async function failContracts(files: readonly string[], { tests }: Copy): Promise<boolean> {
  // A mutant may leave a variable unused, which is worth a warning, and no error.
  const outcomes = await tests.runContracts(files, { ALLOW_WARNINGS: "true" });
  return outcomes.some(({ state }) => state === "failed");
}

const isExplained = (mutant: Mutant) =>
  survivors.some(({ file, from, to }) => file === mutant.file && from === mutant.from && to === mutant.to);

/** The failure of each test, or each run of Solidity tests, without any fault. */
const failures = new Map<string, Promise<string | undefined>>();

/** Throws if a test fails without any fault. */
async function requireSound(test: string, { tests }: Copy): Promise<void> {
  await requireNoFailure(test, () => tests.findFailure(test));
}

/** The same for several files of Solidity tests, in one run. */
async function requireSoundContracts(files: readonly string[], { tests }: Copy): Promise<void> {
  await requireNoFailure(files.join(" "), async () => {
    const outcomes = await tests.runContracts(files);
    return outcomes.find(({ state }) => state === "failed")?.title;
  });
}

async function requireNoFailure(key: string, find: () => Promise<string | undefined>): Promise<void> {
  const found = failures.get(key) ?? find();
  failures.set(key, found);
  const failure = await found;
  if (failure !== undefined) throw new Error(`Without any fault there fails ${failure}`);
}
