import { catalogue } from "@hardhat-identity/protocol/catalogue";
import type { Connector, Place } from "@hardhat-identity/verify-page/connectors/connector";
import type { SandboxAccount } from "./accounts.ts";

// Keeps integers of any size; TypeScript does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Builds a provider's answer about an account, with each value at the place where the connector reads it.
 *
 * @param call Name of one of the connector's calls.
 * @returns JSON text.
 */
export function answerCall(connector: Connector, call: string, account: SandboxAccount): string {
  const answer: Record<string, unknown> = {};
  const plant = ([ofCall, ...keys]: Place, value?: unknown) => {
    if (ofCall !== call) return;
    let branch = answer;
    for (const key of keys.slice(0, -1)) {
      branch[key] ??= {};
      branch = branch[key] as Record<string, unknown>;
    }
    branch[keys.at(-1) ?? ""] = value;
  };
  plant(connector.accountId, account.accountId);
  if (connector.accountName) plant(connector.accountName, account.name);
  for (const [name, place] of Object.entries(connector.traits)) {
    const value = account.traits[name];
    const isText = value === undefined || catalogue.get(connector.name)?.get(name)?.type === "string";
    // Without a value, the object around it is still there.
    plant(place, isText ? value : rawJSON(value));
  }
  return JSON.stringify(answer);
}
