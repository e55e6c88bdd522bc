import { catalogue, type ProviderName } from "../../protocol/catalogue.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { isTraitValue } from "../../protocol/traits.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";

/**
 * Reads what one chose on the sandbox's page, as oidc-provider wants to know it. Whom one invents joins the accounts.
 *
 * @throws InvalidInputError for the person to read.
 */
export function readChoice(
  { name }: Connector,
  accounts: SandboxAccounts,
  form: Readonly<Record<string, unknown>>,
) {
  if (form.action === "refuse") {
    return { error: "access_denied", error_description: "The person refused." };
  }
  if (form.action === "invent") {
    const account = readInventedAccount(name, form);
    accounts.set(account.accountId, account);
    return { login: { accountId: account.accountId } };
  }
  const accountId = String(form.pick ?? "");
  if (!accounts.has(accountId)) throw new InvalidInputError("Pick one of the accounts.");
  return { login: { accountId } };
}

/**
 * Reads an invented account from the sandbox's form. A trait that is left empty is one that the provider does not tell.
 *
 * @throws InvalidInputError naming the field.
 */
function readInventedAccount(
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
