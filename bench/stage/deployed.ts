import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../repository.ts";

/** What the files of deploy/ have Node told, ahead of the service's program. */
export function readNodeArgs(): readonly string[] {
  const containerFile = readFileSync(join(root, "deploy/container/Containerfile"), "utf8");
  const [, entrypoint = ""] = /^ENTRYPOINT (.*)$/m.exec(containerFile) ?? [];
  return (JSON.parse(entrypoint) as string[]).filter((argument) => argument.startsWith("--"));
}
