import { catalogue, type ProviderName } from "../protocol/catalogue.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import { isTraitValue } from "../protocol/traits.ts";
import type { SandboxAccount } from "./accounts.ts";

/**
 * Reads an invented account from the sandbox's form. A trait that is left empty is one that the provider does not tell.
 *
 * @throws InvalidInputError naming the field.
 */
export function readInventedAccount(
  provider: ProviderName,
  form: Readonly<Record<string, unknown>>,
): SandboxAccount {
  const field = (name: string): string => String(form[name] ?? "").trim();
  const accountId = field("accountId");
  if (accountId === "") throw new InvalidInputError("The account id is empty; any text does.");
  const traits: Record<string, string> = {};
  for (const [trait, { type }] of catalogue.get(provider) ?? []) {
    const value = field(`trait.${trait}`);
    if (value === "") continue;
    if (!isTraitValue(type, value)) {
      throw new InvalidInputError(`${trait} must be of type ${type}, not ${JSON.stringify(value)}.`);
    }
    traits[trait] = value;
  }
  return { accountId, name: field("name") || accountId, traits };
}
