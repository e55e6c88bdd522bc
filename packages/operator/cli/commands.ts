import { didYouMean } from "@hardhat-identity/console/closest";
import { columns } from "@hardhat-identity/console/columns";
import { print } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type Command, command } from "./command.ts";

const json = { "--json": "Print JSON" };
const wallet = { "--wallet <address>": "Address of the wallet" };
const provider = { "--provider <name>": "Provider of the account, such as microblog" };
const newFile = { "--to <file>": "Path of a new file" };

const aboutSettings = `Settings are environment variables. To read one with a star from a file, set
<name>_FILE to its path.
Each provider has settings of its own (docs/providers.md).`;

const start = command("", "Start the service with the settings in the environment", {
  isLasting: true,
  run: async () => await (await import("./serve.ts")).serve(),
});

/** All other commands, by the operator's purpose. */
const groups: Readonly<Record<string, readonly Command[]>> = {
  Service: [
    command("settings", "List the service's settings (environment variables)", {
      async run() {
        print(`${aboutSettings}\n\n${(await import("./describeSettings.ts")).describeSettings()}`);
        return 0;
      },
    }),
    command("check --url <url>", "Ask a running service for a verification", {
      options: {
        "--url <url>": "URL of the service",
        "--consumer <address>": "Consumer to ask for (default: none)",
        "--other <url>...": "Another service of the registry, to compare",
        ...json,
      },
      run: async (values) => (await import("./check.ts")).check(values),
    }),
    command("watch", "Compare claims with the audit trail, and find forged ones", {
      options: {
        "--once": "Judge once, and exit",
        "--brake": "Remove the signer of a forged claim",
        "--from-block <number>": "Earliest block to judge",
        "--position-file <file>": "File for the position (default: watch-position)",
        "--signer <address>...": "Known signer",
        "--service <url>...": "Service whose signers are known",
        "--other-signer <address>...": "Signer of another operator",
        "--consumer <address>...": "Your consumer: judged first and in full",
        "--confirm <tag>": "Block to trust: safe (default) or finalized",
        "--interval <seconds>": "Pause between checks (default: 1 to 3)",
        ...json,
      },
      // 1 means that something is forged.
      failure: 2,
      isLasting: true,
      run: async (values) => (await import("./watch.ts")).watch(values),
    }),
    command("provider try <name>", "Sign in at a provider, and report its answers", {
      options: { "--callback <url>": "Callback that is registered at the provider" },
      run: async (values, words) => (await import("./provider.ts")).tryProvider(values, words),
    }),
    command("brand preview <file>", "Preview the pages with a brand file", {
      options: { "--port <port>": "Port on this machine (default: any free one)" },
      isLasting: true,
      run: async (values, words) => (await import("./brand.ts")).preview(values, words),
    }),
  ],
  Keys: [
    command("key new --to <file> --password-file <file>", "Write a new signing key, and print its signer", {
      options: { ...newFile, "--password-file <file>": "File with the keystore's password" },
      run: async (values) => (await import("./secrets.ts")).newKey(values),
    }),
    command("secret new --to <file>", "Write a new secret to a file only you can read", {
      options: newFile,
      run: async (values) => (await import("./secrets.ts")).newSecret(values),
    }),
  ],
  Credentials: [
    command("credential list", "List the wallets' credentials", {
      options: { ...wallet, ...json },
      run: async (values) => (await import("./credentials.ts")).list(values),
    }),
    command("credential set --wallet <address> --provider <name>", "Store a credential", {
      options: {
        ...wallet,
        ...provider,
        "--from <file>": "JSON of accountId, traits, authenticatedAt, or -",
        "--account-id <id>": "Without --from: the account's id at the provider",
        "--traits <json>": `Without --from: traits, as '{"followers":1200}'`,
        "--authenticated-at <seconds>": "Unix seconds of the sign-in (default: now)",
        ...json,
      },
      run: async (values) => (await import("./credentials.ts")).set(values),
    }),
    command("credential delete --wallet <address> --provider <name>", "Delete a wallet's credential", {
      options: {
        ...wallet,
        ...provider,
        "--from <file>": "Instead: `audit list --json` output, to repeat erasures",
        ...json,
      },
      run: async (values) => (await import("./credentials.ts")).remove(values),
    }),
    command("pins list", "List each contract's pinned policy", {
      options: json,
      run: async (values) => (await import("./credentials.ts")).listPins(values),
    }),
    command("pins reset --consumer <address>", "Forget a contract's pinned policy", {
      options: { "--consumer <address>": "Address of the contract", ...json },
      run: async (values) => (await import("./credentials.ts")).resetPins(values),
    }),
    command("sessions end", "End all sessions of the verify page", {
      run: async () => (await import("./credentials.ts")).endSessions(),
    }),
  ],
  "Audit trail": [
    command("audit list", "Print the audit trail", {
      options: {
        "--since <time>": "Day or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
        "--contract <address>": "Only entries of this contract",
        ...json,
      },
      run: async (values) => (await import("./audit.ts")).list(values),
    }),
    command("audit report --contract <address>", "Count signatures and refusals by day", {
      options: {
        "--contract <address>": "Address of the contract",
        "--since <time>": "Day or time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
        "--csv": "Print a line of CSV for each day",
        ...json,
      },
      run: async (values) => (await import("./auditReport.ts")).report(values),
    }),
    command("audit verify", "Find entries that were removed or altered", {
      options: { "--head <hash>...": "Hash of a last row, from the services' logs", ...json },
      run: async (values) => (await import("./audit.ts")).verify(values),
    }),
  ],
  Database: [
    command("migrate", "Update the database to this release's schema", {
      options: { "--status": "Only list the migrations, and when they ran" },
      run: async (values) => (await import("./database.ts")).migrate(values),
    }),
    command("backup --to <file>", "Copy an SQLite database, even while it is in use", {
      options: newFile,
      run: async (values) => (await import("./database.ts")).backup(values),
    }),
    command("move <url or file> <url or file>", "Copy everything to an empty database", {
      run: async (_values, words) => (await import("./database.ts")).move(words),
    }),
    command("re-encrypt --to <file>", "Encrypt a stopped service's database with another secret", {
      options: { "--to <file>": "File with the next secret" },
      run: async (values) => (await import("./database.ts")).reencrypt(values),
    }),
  ],
};

const all = [start, ...Object.values(groups).flat()];

/** Commands whose name is this, or begins with this word. */
const startingWith = (word: string): readonly Command[] =>
  all.filter(({ name }) => `${name} `.startsWith(`${word} `));

/** The arguments of a command after its name. */
export const argumentsOf = ({ name }: Command, words: readonly string[]): string[] =>
  words.slice(name === "" ? 0 : name.split(" ").length);

/** Finds the command that words begin with, or refuses them with what may have been meant. */
export function findCommand(words: readonly string[]): Command {
  const [first = "", second = ""] = words;
  const group = startingWith(first);
  const found = group.find(({ name }) => name === first || name === `${first} ${second}`);
  if (found !== undefined) return found;
  if (group.length === 0) {
    const known = [...new Set(all.flatMap(({ name }) => name.split(" ")[0] || []))];
    throw new InvalidInputError(
      `${JSON.stringify(first)} is not a command.${didYouMean(first, known)}\nnpx --no -- identity-signer --help lists the commands.`,
    );
  }
  const known = group.map(({ name }) => name.slice(first.length + 1));
  const problem =
    second === ""
      ? `Say what to do after ${first}:`
      : `${JSON.stringify(second)} is not a command of ${first}.${didYouMean(second, known)}`;
  throw new InvalidInputError(`${problem}\n${listCommands(group)}`);
}

/** Every command in a line, by purpose, on one screen. */
export function describeCommands(): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  const listed = Object.entries(groups).map(([purpose, commands]) => {
    const lines = commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
    return [purpose, ...lines].join("\n");
  });
  return [
    "Runs the signer service, and manages its keys and database.",
    "Usage: identity-signer [command]\nWithout a command, it starts the service.",
    ...listed,
    "identity-signer <command> --help shows a command's options.\nidentity-signer --version prints the release.",
  ].join("\n\n");
}

/** A command with its options, or the commands that begin with a word. */
export function describeCommand(words: readonly string[]): string {
  const [word = "", second = ""] = words;
  const group = startingWith(word);
  const isGroup = group.length > 0 && group.every(({ name }) => name !== word);
  if (second.startsWith("-") && isGroup) return listCommands(group);
  const { form, about, options } = findCommand(words);
  const head = `identity-signer ${form}\n${about}.`;
  return Object.keys(options).length === 0 ? head : `${head}\n\n${listLines(Object.entries(options))}`;
}

const listCommands = (commands: readonly Command[]): string =>
  listLines(commands.map(({ name, about }) => [`identity-signer ${name}`, about]));

const listLines = (rows: readonly (readonly [string, string])[]): string =>
  columns(rows).replaceAll(/^/gm, "  ");
