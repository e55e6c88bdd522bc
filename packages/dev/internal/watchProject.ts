import { existsSync, watch } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

/** Milliseconds within which changes count as one, because editors save in several steps. */
const settlingMs = 100;

/** A project's source files, without an editor's temporary files. */
const sourceFile = /(^|[\\/])[^.][^\\/]*\.(sol|[cm]?[jt]s|json5?)$/;

/**
 * Watches the project's contracts and modules. Calls `onChange` with the first changed file of every change, and `onBlind`
 * if changes go unnoticed, as where the system has no more watches to give.
 */
export function watchProject(
  { config }: HardhatRuntimeEnvironment,
  modules: readonly string[],
  onChange: (file: string) => void,
  onBlind: (reason: string) => void,
): { close(): void } {
  const folders = new Set([...config.paths.sources.solidity, ...modules.map((file) => dirname(file))]);
  let first: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...folders].filter(existsSync).flatMap((folder) => {
    const tellBlind = (error: unknown) => {
      const found = error as NodeJS.ErrnoException;
      // A folder that was just deleted cannot be watched; the others are.
      if (found.code !== "ENOENT" || !existsSync(folder)) onBlind(describeBlind(folder, found));
    };
    try {
      const watcher = watch(folder, { recursive: true }, (_event, file) => {
        if (file !== null && !sourceFile.test(file)) return;
        first ??= relative(process.cwd(), join(folder, file ?? ""));
        clearTimeout(timer);
        timer = setTimeout(() => {
          onChange(first ?? folder);
          first = undefined;
        }, settlingMs);
      });
      return [watcher.on("error", tellBlind)];
    } catch (error) {
      tellBlind(error);
      return [];
    }
  });
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function describeBlind(folder: string, { code, message }: NodeJS.ErrnoException): string {
  const where = relative(process.cwd(), folder) || ".";
  const remedy =
    code === "ENOSPC" || code === "EMFILE"
      ? "The system's limit of file watches is reached: raise fs.inotify.max_user_watches and max_user_instances, then start again."
      : message;
  return `Changes in ${where} go unnoticed, so they are not deployed. ${remedy}`;
}
