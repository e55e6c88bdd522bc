import { catalogue, type ProviderName } from "../../protocol/catalogue.ts";
import { isTraitValue } from "../../protocol/traits.ts";
import { nameTrait, traitWords } from "../../protocol/traitWords.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import type { Sentence } from "./page.ts";

/** The form cannot be taken as it was sent. */
export class FormProblem extends Error {
  override readonly name = "FormProblem";
  /** What the person has to put right. */
  readonly says: Sentence;
  /** The field in which it is, by its name; none if the form has no such field. */
  readonly field: string | undefined;

  constructor(says: Sentence, field?: string) {
    super();
    this.says = says;
    this.field = field;
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
  if (accountId === "") throw new FormProblem(({ problems }) => problems.noId, "accountId");
  const traits: Record<string, string> = {};
  for (const [trait, { type }] of catalogue.get(provider) ?? []) {
    const value = field(`trait.${trait}`);
    if (value === "") continue;
    // Any text is a string.
    if (type !== "string" && !isTraitValue(type, value)) {
      throw new FormProblem(
        ({ problems }, language) => problems[type](nameTrait(trait, traitWords[language])),
        `trait.${trait}`,
      );
    }
    traits[trait] = value;
  }
  return { accountId, name: field("name") || accountId, traits };
}
