import { readFileSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** Prints the comment at the head of a script, which says how to call it, and ends the process. */
export function exitWithUsage(script: string, problem?: string): never {
  const [head = ""] = readFileSync(script, "utf8").split(/\n(?!\/\/)/, 1);
  const usage = head.replaceAll(/^\/\/ ?/gm, "");
  console.error(problem === undefined ? usage : `${problem}\n\n${usage}`);
  process.exit(problem === undefined ? 0 : 2);
}

/** Reads the arguments of a script. With `--help`, or with a wrong one, prints how to call it and ends the process. */
export function readArguments<const Config extends ParseArgsConfig>(script: string, config: Config) {
  if (process.argv.slice(2).some((argument) => argument === "--help" || argument === "-h"))
    exitWithUsage(script);
  try {
    return parseArgs(config);
  } catch (error) {
    // Node says in a second sentence how to pass a name that begins with a dash.
    return exitWithUsage(script, String(Object(error).message).split(". ")[0]);
  }
}
