import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../repository.ts";

/** What the files of deploy/ tell Node and the allocator, by arguments ahead of the service's program and by the environment. */
export function readDeployed(): { nodeArgs: readonly string[]; env: Readonly<Record<string, string>> } {
  const containerFile = readFileSync(join(root, "deploy/container/Containerfile"), "utf8");
  const [, entrypoint = ""] = /^ENTRYPOINT (.*)$/m.exec(containerFile) ?? [];
  const [, arenas = ""] = /^ENV .*\bMALLOC_ARENA_MAX=(\d+)/m.exec(containerFile) ?? [];
  return {
    nodeArgs: (JSON.parse(entrypoint) as string[]).filter((argument) => argument.startsWith("--")),
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
