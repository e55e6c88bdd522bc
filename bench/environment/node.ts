import { spawnSync } from "node:child_process";
import { type Process, startProcess } from "./process.ts";
import { hardhatCli } from "./repository.ts";

const anvil = "@foundry-rs/anvil@1.7.1";

/** A node of chain 84532 in a process of its own. */
export interface Node extends Pick<Process, "stop"> {
  readonly name: string;
  readonly rpcUrl: string;
}

/** Starts anvil, which is faster, or Hardhat's node if npm's cache has no anvil and there is no network. */
export async function startNode(folder: string): Promise<Node> {
  const found = [["--offline", "--yes", anvil] as const, ["--yes", anvil] as const].find(
    (args) => spawnSync("npx", [...args, "--version"], { stdio: "ignore" }).status === 0,
  );
  const command = found
    ? (["npx", ...found, "--port", "0", "--chain-id", "84532"] as const)
    : ([process.execPath, hardhatCli, "node", "--network", "identityLocal", "--port", "0"] as const);
  const ready = /(?:Listening on |server at http:\/\/)[\w.:]+\/?\s/;
  const node = await startProcess({ name: "node", folder, command, ready });
  const [address] = /[\w.]+:\d+/.exec(node.ready()) ?? [];
  return { ...node, name: found ? "anvil 1.7.1" : "Hardhat's node", rpcUrl: `http://${address}` };
}
