import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../environment/environment.ts";
import type { Options } from "../options.ts";
import { formatNumber, type Measured } from "../report/report.ts";

/** V8's profile, as far as it is looked at: how often each function was found running. */
interface Profile {
  readonly nodes: readonly {
    readonly hitCount?: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
}

/** What the service's time goes into at full load, by package and by room. */
export async function profile(environment: Environment, options: Options): Promise<Measured> {
  const { folder } = environment;
  const nodeArgs = ["--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", folder];
  const server = await environment.startService({ name: "service", nodeArgs });
  const requests = environment.sign(options.wallets * 8);
  options.onStep("Full load");
  const seconds = options.warmUp + options.seconds * options.rounds;
  const outcome = await environment.load(server, { kind: "closed" }, { requests, seconds });
  // It is written when the process ends.
  await server.stop();
  const shares = new Map<string, number>();
  for (const file of globSync(join(folder, "*.cpuprofile"))) {
    const { nodes }: Profile = JSON.parse(readFileSync(file, "utf8"));
    for (const { hitCount = 0, callFrame } of nodes) {
      const place = findPlace(callFrame);
      shares.set(place, (shares.get(place) ?? 0) + hitCount);
    }
  }
  shares.delete("(idle)");
  const perRequest = (outcome.cpuSeconds / outcome.checked) * 1e6;
  const busy = [...shares.values()].reduce((sum, share) => sum + share, 0);
  return {
    notes: [
      `${formatNumber(outcome.checked, 0)} requests over ${options.connections} connections, while V8 looked every half millisecond at what ran. Whoever calls native code is charged with it. What is under 1 % is left out.`,
    ],
    columns: [
      { key: "share", heading: "of the time, %", digits: 1 },
      { key: "microseconds", heading: "µs per request", digits: 0 },
    ],
    rows: [...shares]
      .sort(([, a], [, b]) => b - a)
      .filter(([, share]) => share / busy >= 0.01)
      .map(([name, share]) => ({
        name,
        values: { share: (share / busy) * 100, microseconds: (share / busy) * perRequest },
      })),
    targets: [],
  };
}

function findPlace({ functionName, url }: { functionName: string; url: string }): string {
  if (url.startsWith("wasm:")) return "WebAssembly";
  if (url.startsWith("node:")) return "Node's own modules";
  if (url === "") return functionName.startsWith("(") ? functionName : "native functions of V8 and Node";
  const own = /\/hardhat-identity\/dist\/(.+)$/.exec(url)?.[1];
  const [, name] = own === undefined ? (/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []) : [];
  if (name !== undefined) return name;
  return `${(own ?? url.replace(/^.*\/(?=(?:protocol|chain|signer|tasks)\/)/, "")).split("/")[0]}/ (ours)`;
}
