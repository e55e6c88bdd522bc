import { catalogue } from "../../../protocol/catalogue.ts";
import { JsonNumber } from "../../../protocol/json.ts";
import { isTraitValue, type Traits, writeTraitValue } from "../../../protocol/traits.ts";
import type { Connector, Place } from "../../providers/connector.ts";
import { ProviderFailure } from "./failure.ts";

/** The account of the person who signed in, as the provider describes it. */
export interface ProvenAccount {
  /** The provider's own stable id, byte for byte. */
  readonly accountId: string;
  readonly traits: Traits;
}

/** The greatest length of an account id and of a trait, in UTF-8 bytes. */
const maxBytes = 256;

/**
 * Reads an account from the answers of a provider's calls.
 *
 * @param answers Call name → JSON value, parsed losslessly.
 * @throws ProviderFailure `bad_answer` when there is no account id, or a value is not of its trait's type.
 */
export function readAccount(connector: Connector, answers: Readonly<Record<string, unknown>>): ProvenAccount {
  const fail = (detail: string) => new ProviderFailure(connector.name, "bad_answer", detail);
  const id = find(answers, connector.accountId);
  const accountId = id instanceof JsonNumber && isTraitValue("int", id.source) ? id.source : id;
  if (typeof accountId !== "string" || accountId === "" || isUnfit(accountId)) {
    throw fail(`no account id at ${connector.accountId.join(".")}.`);
  }
  const traits: Record<string, string> = {};
  for (const [name, { type }] of catalogue.get(connector.name) ?? []) {
    const place = connector.traits[name];
    const value = place && find(answers, place);
    if (value === undefined || value === null) continue;
    const text = writeTraitValue(type, value);
    if (text === undefined || isUnfit(text)) {
      throw fail(`the value at ${place?.join(".")} is not of type ${type}.`);
    }
    traits[name] = text;
  }
  return { accountId, traits };
}

function find(answers: unknown, place: Place): unknown {
  let value = answers;
  for (const key of place) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

// A lone surrogate has no UTF-8 form (two different ids would be stored as one), and no id or name has control characters.
const isUnfit = (text: string): boolean =>
  /[\p{Cc}\p{Cs}]/u.test(text) || new TextEncoder().encode(text).length > maxBytes;
