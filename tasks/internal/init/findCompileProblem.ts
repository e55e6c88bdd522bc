import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { printError } from "../../../console/print.ts";
import type { ProjectFile } from "./templates.ts";

/**
 * Compiles a contract with the project's compilers and settings, from a file in a folder that is deleted.
 *
 * @returns The compilers, and why the contract does not compile; `undefined` if it does.
 */
export async function findCompileProblem(
  { config, solidity }: HardhatRuntimeEnvironment,
  { path, text }: ProjectFile,
): Promise<string | undefined> {
  const compilers = (config.solidity.profiles.default?.compilers ?? []).map(({ version, settings }) =>
    settings?.evmVersion === undefined
      ? `solc ${version}`
      : `solc ${version} for the EVM ${settings.evmVersion}`,
  );
  const found = (problem: string) => `with ${compilers.join(" or ")}: ${problem.trim()}`;
  const folder = mkdtempSync(join(config.paths.root, ".identity-init-"));
  const file = join(folder, basename(path));
  writeFileSync(file, text);
  try {
    const jobs = await solidity.getCompilationJobs([file], { quiet: true, force: true });
    if (!jobs.success) return found(jobs.formattedReason);
    for (const job of new Set(jobs.compilationJobsPerFile.values())) {
      const { output } = await solidity.runCompilationJob(job, { quiet: true });
      const error = output.errors?.find(({ severity }) => severity === "error");
      if (error !== undefined) return found(error.formattedMessage ?? error.message);
    }
    return undefined;
  } catch (error) {
    if (!/download/i.test(String(error))) throw error;
    printError(`${basename(path)} was not compiled: ${(error as Error).message}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
