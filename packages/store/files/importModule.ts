import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describeChangeable } from "./exposure.ts";

/**
 * Imports a module of the operator's. No file of it is run that others can change, nor any that it imports as it loads.
 *
 * @param file The module's path, relative to the working directory.
 * @throws the module's own error, or one that names the file and what is wrong with it.
 */
export async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  const path = resolve(file);
  requireOwn(path);
  // Node before 22.15 has no such hooks, and loads no import of their name: there, only the module itself is examined.
  const hooks = process.getBuiltinModule("node:module").registerHooks?.({
    load(url, context, load) {
      if (url.startsWith("file:")) requireOwn(fileURLToPath(url));
      return load(url, context);
    },
  });
  try {
    return await import(pathToFileURL(path).href);
  } finally {
    hooks?.deregister();
  }
}

function requireOwn(path: string): void {
  const problem = describeChangeable(path);
  if (problem !== undefined) throw new Error(`${path} is a file that ${problem}`);
}
