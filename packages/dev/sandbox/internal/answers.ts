import { catalogue } from "@hardhat-identity/protocol/catalogue";
import type { Connector, Place } from "@hardhat-identity/verify-page/connectors/connector";
import type { SandboxAccount } from "./accounts.ts";
import { plant } from "./plant.ts";

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
  const plantAt = ([ofCall, ...keys]: Place, value?: unknown) => {
    if (ofCall === call) plant(answer, keys, value);
  };
  plantAt(connector.accountId, account.accountId);
  if (connector.accountName) plantAt(connector.accountName, account.name);
  for (const [name, place] of Object.entries(connector.traits)) {
    const value = account.traits[name];
    const isText = value === undefined || catalogue.get(connector.name)?.get(name)?.type === "string";
    // Without a value, the object around it is still there.
    plantAt(place, isText ? value : rawJSON(value));
  }
  return JSON.stringify(answer);
}
