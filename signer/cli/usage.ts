import { columns } from "../../console/columns.ts";

/** A command of `identity-signer`, as its help shows it. */
interface Usage {
  /** Its name, then what must follow it. */
  readonly form: string;
  readonly about: string;
  readonly options?: Readonly<Record<string, string>>;
}

const json = { "--json": "Print JSON" };
const wallet = { "--wallet <address>": "Address of the wallet" };
const provider = { "--provider <name>": "Provider of the account, such as microblog" };

/** All commands, by the operator's purpose. */
const groups: Readonly<Record<string, readonly Usage[]>> = {
  Run: [
    { form: "", about: "Start the service with the settings in the environment" },
    {
      form: "check --url <url>",
      about: "Ask a running service for a verification",
      options: {
        "--consumer <address>": "Consumer to ask for (default: none)",
        "--other <url>": "Another service of the registry, to compare; can be repeated",
        ...json,
      },
    },
    {
      form: "watch",
      about: "Compare claims with the audit trail, and find forged ones",
      options: {
        "--once": "Judge once, and exit",
        "--brake": "Remove the signer of a forged claim",
        "--from-block <number>": "Earliest block to judge",
        "--position-file <file>": "File that keeps the position",
        "--signer <address>": "Known signer; can be repeated",
        "--service <url>": "Service whose signers are known; can be repeated",
        "--other-signer <address>": "Signer of another operator; can be repeated",
        "--consumer <address>": "Consumer to watch (default: all); can be repeated",
        ...json,
      },
    },
  ],
  Keys: [
    {
      form: "key new --to <file> --password-file <file>",
      about: "Write a new signing key to a keystore, and print its signer",
    },
    { form: "secret new --to <file>", about: "Write a new secret to a file that only you can read" },
    {
      form: "signers list",
      about: "List the registry's allowlist, which only its owner's key changes",
      options: {
        "--service <url>": "Service to compare",
        "--registry <address>": "Registry (default: IDENTITY_REGISTRY)",
        "--from-block <number>": "Earliest block to search (default: what 500 requests cover)",
        ...json,
      },
    },
  ],
  Credentials: [
    {
      form: "credential list",
      about: "List the wallets' credentials",
      options: { ...wallet, ...provider, "--limit <number>": "Most credentials to list", ...json },
    },
    {
      form: "credential set --wallet <address> --provider <name>",
      about: "Store a credential",
      options: {
        ...wallet,
        ...provider,
        "--from <file>": "JSON file with accountId, traits and authenticatedAt, or -",
        "--account-id <id>": "Without --from: the account's id at the provider",
        "--traits <json>": `Without --from: its traits, such as '{"followers":1200}'`,
        "--authenticated-at <seconds>": "Unix time of the last proof (default: now)",
        ...json,
      },
    },
    {
      form: "credential delete --wallet <address> --provider <name>",
      about: "Erase a wallet's credential",
      options: {
        ...wallet,
        ...provider,
        "--from <file>": "Instead: erase again what this output of `audit list --json` says was erased",
        ...json,
      },
    },
    { form: "pins list", about: "List each contract's pinned policy", options: json },
    { form: "pins reset --consumer <address>", about: "Forget a contract's pinned policy", options: json },
    { form: "sessions end", about: "End all sessions of the verify page" },
    {
      form: "provider try <name>",
      about: "Sign in at a provider, and report its answers",
      options: { "--callback <url>": "Callback that is registered at the provider" },
    },
  ],
  "Audit trail": [
    {
      form: "audit list",
      about: "Print the audit trail",
      options: {
        "--since <time>": "Day or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
        "--contract <address>": "Only entries of this contract",
        ...json,
      },
    },
    {
      form: "audit verify",
      about: "Find entries that were removed or altered",
      options: { "--head <hash>": "Hash of a last row, from the services' logs; can be repeated", ...json },
    },
  ],
  Database: [
    {
      form: "migrate",
      about: "Update the database to this release's schema",
      options: { "--status": "Only list the migrations, and when they ran" },
    },
    { form: "backup --to <file>", about: "Copy an SQLite database, also while it is in use" },
    {
      form: "move <from> <to>",
      about: "Copy everything to an empty database; each is a URL, or a file with one",
    },
    {
      form: "re-encrypt --to <file>",
      about: "Encrypt the stopped service's database with the secret in a file",
    },
  ],
};

const all = Object.values(groups).flat();

/** The name of a command, without what must follow it. */
const nameOf = ({ form }: Usage): string => form.replace(/ ?(--|<).*/, "");

/** Commands whose name is this, or begins with this word. */
const startingWith = (name: string): readonly Usage[] =>
  all.filter((usage) => `${nameOf(usage)} `.startsWith(`${name} `));

/** The first words of the commands. */
export const commandWords: readonly string[] = [
  ...new Set(all.flatMap((usage) => nameOf(usage).split(" ")[0] || [])),
];

/** Every command in a line, by purpose. */
export function describeCommands(): string {
  return Object.entries(groups)
    .map(([purpose, usages]) => `${purpose}\n${listCommands(usages)}`)
    .concat(listLines([["--version", "Print the release"]]))
    .join("\n\n");
}

/** The commands after a word, such as `audit`, each in a line. */
export const describeGroup = (word: string): string => listCommands(startingWith(word));

/** A command with its options. */
export function describeCommand(words: readonly string[]): string {
  const [word = ""] = words;
  const [usage] = all.filter(
    (each) => nameOf(each) === words.slice(0, nameOf(each).split(" ").length).join(" "),
  );
  if (usage === undefined) return describeGroup(word);
  const { form, about, options = {} } = usage;
  const head = `identity-signer ${form}\n${about}.`;
  return Object.keys(options).length === 0 ? head : `${head}\n\n${listLines(Object.entries(options))}`;
}

/** The options of a command, such as `--json`. */
export const optionsOf = (words: readonly string[]): string[] =>
  startingWith(words[0] ?? "").flatMap(({ form, options = {} }) =>
    [form, ...Object.keys(options)].flatMap((text) => text.match(/--[a-z-]+/g) ?? []),
  );

const listCommands = (usages: readonly Usage[]): string =>
  listLines(usages.map((usage) => [`identity-signer ${nameOf(usage)}`, usage.about]));

const listLines = (rows: readonly (readonly [string, string])[]): string =>
  columns(rows).replaceAll(/^/gm, "  ");
