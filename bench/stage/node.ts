import { spawnSync } from "node:child_process";
import { hardhatCli } from "../repository.ts";
import { type Launched, launch } from "./launch.ts";

const anvil = "@foundry-rs/anvil@1.7.1";
const offline = ["--offline", "--yes", anvil];

/** A node of chain 84532 in a process of its own. */
export interface Node {
  readonly name: string;
  readonly rpcUrl: string;
  /** Stops all its processes where they are, and lets them go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts anvil, which is the faster one; where npm's cache has none and there is no network, Hardhat's. */
export async function startNode(folder: string): Promise<Node> {
  const online = ["--yes", anvil];
  for (const found of [offline, online]) {
    if (spawnSync("npx", [...found, "--version"], { stdio: "ignore" }).status !== 0) continue;
    const args = [...found, "--port", "0", "--chain-id", "84532"];
    const node = await launch({ name: "node", folder, command: "npx", args, ready: /Listening on \S+\n/ });
    return { ...describe(node, /Listening on (\S+)/), name: "anvil 1.7.1" };
  }
  const network = ["--network", "identityLocal", "--hostname", "127.0.0.1", "--port", "0"];
  const args = [hardhatCli, "node", ...network];
  const ready = /server at http:\S+?\/?\s/;
  const node = await launch({ name: "node", folder, command: process.execPath, args, ready });
  return { ...describe(node, /http:\/\/([^/\s]+)/), name: "Hardhat's node" };
}

const describe = ({ ready, signal, stop }: Launched, address: RegExp) => ({
  rpcUrl: `http://${address.exec(ready)?.[1]}`,
  freeze: () => signal("SIGSTOP"),
  thaw: () => signal("SIGCONT"),
  stop,
});
