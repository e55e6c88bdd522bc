import { catalogue, type ProviderName } from "@hardhat-identity/protocol/catalogue";
import type { Language } from "@hardhat-identity/protocol/languages";
import { isTraitValue } from "@hardhat-identity/protocol/traits";
import type { Connector } from "@hardhat-identity/verify-page/connectors/connector";
import { nameTrait, traitWords } from "@hardhat-identity/verify-page/content/traitWords";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import { failuresOf } from "./failures.ts";
import type { FieldProblem } from "./page.ts";
import { sandboxTexts } from "./texts.ts";

/** The form cannot be taken as it was sent. */
export class FormProblems extends Error {
  override readonly name = "FormProblems";
  /** The problems that the person has to fix, in the order of the fields. */
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super();
    this.problems = problems;
  }
}

/**
 * Reads the choice made on the sandbox's page, as oidc-provider takes it. A created user joins the accounts.
 *
 * @throws FormProblems
 */
export function readChoice(
  connector: Connector,
  accounts: SandboxAccounts,
  form: Readonly<Record<string, unknown>>,
  language: Language,
) {
  const { name } = connector;
  if (form.action === "refuse") {
    return { error: "access_denied", error_description: "The person denied it." };
  }
  if (form.action === "invent") {
    const account = readInventedAccount(name, form, language);
    accounts.set(account.accountId, account);
    return { login: { accountId: account.accountId } };
  }
  const failure = failuresOf(connector).find((each) => each === form.failure);
  if (failure !== undefined) {
    const accountId = `failing-${failure}`;
    accounts.set(accountId, { accountId, name: failure, traits: {}, failure });
    return { login: { accountId } };
  }
  const accountId = String(form.pick ?? "");
  if (!accounts.has(accountId)) throw new FormProblems([{ says: sandboxTexts[language].problems.pick }]);
  return { login: { accountId } };
}

/**
 * Reads an invented account from the sandbox's form. A trait that is left empty is one that the provider does not tell.
 *
 * @throws FormProblems
 */
function readInventedAccount(
  provider: ProviderName,
  form: Readonly<Record<string, unknown>>,
  language: Language,
): SandboxAccount {
  const { problems: texts } = sandboxTexts[language];
  const field = (name: string): string => String(form[name] ?? "").trim();
  const accountId = field("accountId");
  const problems: FieldProblem[] = [];
  if (accountId === "") problems.push({ says: texts.noId, field: "accountId" });
  const traits: Record<string, string> = {};
  for (const [trait, { type }] of catalogue.get(provider) ?? []) {
    const value = field(`trait.${trait}`);
    if (value === "") continue;
    const isCount = type !== "int" || !value.startsWith("-");
    // Any text is a string.
    if (type !== "string" && !(isTraitValue(type, value) && isCount)) {
      problems.push({
        says: texts[type](nameTrait(trait, traitWords[language])),
        field: `trait.${trait}`,
      });
    }
    traits[trait] = value;
  }
  if (problems.length > 0) throw new FormProblems(problems);
  return { accountId, name: field("name") || accountId, traits };
}
