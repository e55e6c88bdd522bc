import { catalogue, type ProviderName } from "../../protocol/catalogue.ts";
import { isTraitValue } from "../../protocol/traits.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import type { Sentence } from "./page.ts";

/** The form cannot be taken as it was sent. */
export class FormProblem extends Error {
  override readonly name = "FormProblem";
  /** What the person has to put right. */
  readonly says: Sentence;

  constructor(says: Sentence) {
    super();
    this.says = says;
  }
}

/**
 * Reads the choice made on the sandbox's page, as oidc-provider takes it. A created user joins the accounts.
 *
 * @throws FormProblem
 */
export function readChoice(
  { name }: Connector,
  accounts: SandboxAccounts,
  form: Readonly<Record<string, unknown>>,
) {
  if (form.action === "refuse") {
    return { error: "access_denied", error_description: "The person denied it." };
  }
  if (form.action === "invent") {
    const account = readInventedAccount(name, form);
    accounts.set(account.accountId, account);
    return { login: { accountId: account.accountId } };
  }
  const accountId = String(form.pick ?? "");
  if (!accounts.has(accountId)) throw new FormProblem(({ problems }) => problems.pick);
  return { login: { accountId } };
}

/**
 * Reads an invented account from the sandbox's form. A trait that is left empty is one that the provider does not tell.
 *
 * @throws FormProblem
 */
function readInventedAccount(
  provider: ProviderName,
  form: Readonly<Record<string, unknown>>,
): SandboxAccount {
  const field = (name: string): string => String(form[name] ?? "").trim();
  const accountId = field("accountId");
  if (accountId === "") throw new FormProblem(({ problems }) => problems.noId);
  const traits: Record<string, string> = {};
  for (const [trait, { type }] of catalogue.get(provider) ?? []) {
    const value = field(`trait.${trait}`);
    if (value === "") continue;
    if (!isTraitValue(type, value)) {
      throw new FormProblem(({ problems }) => problems.type(trait, type, JSON.stringify(value)));
    }
    traits[trait] = value;
  }
  return { accountId, name: field("name") || accountId, traits };
}
