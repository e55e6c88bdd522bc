import { catalogue } from "../../protocol/catalogue.ts";
import type { Connector, Place } from "../../signer/providers/connector.ts";
import type { SandboxAccount } from "./accounts.ts";

/** JSON in the making: objects, and leaves that are JSON text already, so that no integer is rounded. */
type Tree = Map<string, Tree | string>;

/**
 * What a provider's API answers about an account: each value at the place at which the provider's connector reads it.
 *
 * @param call Name of one of the connector's calls.
 * @returns JSON text.
 */
export function answerCall(connector: Connector, call: string, account: SandboxAccount): string {
  const tree: Tree = new Map();
  plant(tree, call, connector.accountId, JSON.stringify(account.accountId));
  for (const [name, value] of Object.entries(account.traits)) {
    const type = catalogue.get(connector.name)?.get(name)?.type;
    const place = connector.traits[name];
    if (place) plant(tree, call, place, type === "string" ? JSON.stringify(value) : value);
  }
  return write(tree);
}

function plant(tree: Tree, call: string, [ofCall, ...keys]: Place, json: string): void {
  if (ofCall !== call) return;
  let branch = tree;
  for (const key of keys.slice(0, -1)) {
    const next = branch.get(key);
    const child: Tree = next instanceof Map ? next : new Map();
    branch.set(key, child);
    branch = child;
  }
  branch.set(keys.at(-1) ?? "", json);
}

function write(tree: Tree | string): string {
  if (typeof tree === "string") return tree;
  return `{${[...tree].map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join(",")}}`;
}
