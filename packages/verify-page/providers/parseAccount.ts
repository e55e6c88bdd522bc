import { catalogue, type TraitType } from "@hardhat-identity/protocol/catalogue";
import { isObject, JsonNumber } from "@hardhat-identity/protocol/json";
import { isTraitValue, type Traits, writeTraitValue } from "@hardhat-identity/protocol/traits";
import type { Connector } from "../connectors/connector.ts";
import { ProviderFailure } from "./failure.ts";
import { find } from "./find.ts";

/** The account of the person who signed in, as the provider describes it. */
export interface ProvenAccount {
  /** The provider's own stable id, byte for byte. */
  readonly accountId: string;
  /** The account's public name, if the provider has one. Shown only to the person who signed in; never stored or logged. */
  readonly accountName?: string;
  readonly traits: Traits;
}

/** The greatest length of an account id, a name and a trait, in UTF-8 bytes. */
const maxBytes = 256;

/**
 * Reads an account from the answers of a provider's calls.
 *
 * @param answers Call name → JSON value, parsed losslessly.
 * @throws ProviderFailure `bad_answer` when there is no account id, or a value is not of its trait's type; `incomplete`
 * when an object that should have traits is missing, or all of them are.
 */
export function parseAccount(
  connector: Connector,
  answers: Readonly<Record<string, unknown>>,
): ProvenAccount {
  const fail = (reason: "bad_answer" | "incomplete", detail: string) =>
    new ProviderFailure(connector.name, reason, detail);
  const id = find(answers, connector.accountId);
  const accountId = id instanceof JsonNumber && isTraitValue("int", id.source) ? id.source : id;
  if (typeof accountId !== "string" || accountId === "" || isUnfit(accountId)) {
    throw fail("bad_answer", `no account id at ${connector.accountId.join(".")}.`);
  }
  const traits: Record<string, string> = {};
  for (const [name, { type }] of catalogue.get(connector.name) ?? []) {
    const place = connector.traits[name];
    const value = place && find(answers, place);
    if (value === undefined || value === null) continue;
    const text = writeGiven(type, value);
    if (text === undefined || isUnfit(text)) {
      throw fail("bad_answer", `the value at ${place?.join(".")} is not of type ${type}.`);
    }
    // Each integer in the catalogue is a count, and the store takes no other.
    if (type === "int" && text.startsWith("-")) {
      throw fail("bad_answer", `the value at ${place?.join(".")} is below 0.`);
    }
    traits[name] = text;
  }
  const objects = Object.values(connector.traits).map((place) => place.slice(0, -1));
  const missing = objects.find((keys) => !isObject(find(answers, keys)));
  if (missing) throw fail("incomplete", `the answer has no ${missing.join(".")}.`);
  if (objects.length > 0 && Object.keys(traits).length === 0) {
    throw fail("incomplete", "the answer has none of the values that were asked for.");
  }
  const accountName = connector.accountName && find(answers, connector.accountName);
  const isName = typeof accountName === "string" && accountName !== "" && !isUnfit(accountName);
  return { accountId, ...(isName && { accountName }), traits };
}

/** As {@link writeTraitValue}; but some providers write a count with a fraction of zero, and a boolean as a word. */
function writeGiven(type: TraitType, value: unknown): string | undefined {
  if (type === "int" && value instanceof JsonNumber) {
    return writeTraitValue(type, value.source.replace(/\.0+$/, ""));
  }
  const isWord = type === "bool" && typeof value === "string" && isTraitValue(type, value);
  return isWord ? value : writeTraitValue(type, value);
}

// A lone surrogate has no UTF-8 form (two different ids would be stored as one), and no id or name has control characters.
const isUnfit = (text: string): boolean =>
  /[\p{Cc}\p{Cs}]/u.test(text) || new TextEncoder().encode(text).length > maxBytes;
