import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProjectFile } from "./templates.ts";

/**
 * The packages that files import and a project does not have, nor its repository above it. What a toolbox brings is there
 * with npm, and not with pnpm.
 */
export function findMissing(files: readonly ProjectFile[], project: string, repository: string): string[] {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/^import .* from "(?!node:)((?:@[^/"]+\/)?[^/"]+)[^"]*";$/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  return [...new Set(names)].filter((name) => !isInstalled(name, project, repository));
}

// Without `require.resolve`: what pnpm starts finds by NODE_PATH what an import does not.
function isInstalled(name: string, folder: string, repository: string): boolean {
  if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
  return folder !== repository && isInstalled(name, dirname(folder), repository);
}
