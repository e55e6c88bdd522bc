import { print } from "../../console/print.ts";
import { describeSettings } from "../index.ts";

export function list(): number {
  print(`Settings are environment variables. To read one with a star from a file, set <name>_FILE to its path.
Each provider has settings of its own (docs/providers.md).

${describeSettings()}`);
  return 0;
}
