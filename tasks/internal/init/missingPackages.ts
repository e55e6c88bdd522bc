import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProjectFile } from "./templates.ts";

/**
 * Finds the packages that files import and neither the project nor its repository has. Dependencies of a toolbox can be
 * imported with npm, and cannot with pnpm.
 */
export function findMissing(files: readonly ProjectFile[], project: string, repository: string): string[] {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/^import .* from "(?!node:)((?:@[^/"]+\/)?[^/"]+)[^"]*";$/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  return [...new Set(names)].filter((name) => !isInstalled(name, project, repository));
}

// Not `require.resolve`: pnpm sets NODE_PATH, with which it finds packages that an import does not.
function isInstalled(name: string, folder: string, repository: string): boolean {
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
  return folder !== repository && isInstalled(name, dirname(folder), repository);
}
