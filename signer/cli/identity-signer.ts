#!/usr/bin/env node
import { makeVisible, print, printError } from "../../console/print.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { type Command, isWrongArgument } from "./commands.ts";

// The binary of the npm package: the signer service, and what its operator does to its store. Needs no Hardhat.
const commands: Readonly<Record<string, Command>> = {
  check: async (args) => (await import("./check.ts")).check(args),
  migrate: async (args) => (await import("./migrate.ts")).migrate(args),
  audit: async (args) => (await import("./audit.ts")).audit(args),
  credential: async (args) => (await import("./credential.ts")).credential(args),
  pins: async (args) => (await import("./pins.ts")).pins(args),
  watch: async (args) => (await import("./watch.ts")).watch(args),
  signers: async (args) => (await import("./signers.ts")).signers(args),
  provider: async (args) => (await import("./provider.ts")).provider(args),
  key: async (args) => (await import("./key.ts")).key(args),
  sessions: async (args) => (await import("./sessions.ts")).sessions(args),
  backup: async (args) => (await import("./backup.ts")).backup(args),
  move: async (args) => (await import("./moveStore.ts")).move(args),
  "re-encrypt": async (args) => (await import("./reencrypt.ts")).reencrypt(args),
};
const usage = `identity-signer                       starts the service with the settings in the environment
identity-signer check --url <url>     asks a running service for a verification; --consumer, --other <url>, --json
identity-signer migrate               updates the store to this release's schema
identity-signer migrate --status      lists the migrations, and when they ran
identity-signer backup --to <file>    copies an SQLite store, also while it is in use
identity-signer move <from> <to>      copies the store to another, empty database; each is a URL, or a file with one
identity-signer re-encrypt            encrypts the stopped service's store with another secret; --to <file>
identity-signer audit list            prints the audit trail; --since <day or time>, --contract <address>, --json
identity-signer audit verify          finds entries that were removed or altered; --head <hash>, --json
identity-signer credential list       lists the wallets' credentials; --wallet, --provider, --limit, --json
identity-signer credential set        stores a credential; --wallet, --provider, --from <file> or --account-id, --traits
identity-signer credential delete     erases a wallet's credential; --wallet, --provider, --from <audit list>, --json
identity-signer pins list             lists the policies to which contracts are pinned; --json
identity-signer pins reset            forgets the policy to which a contract is pinned; --consumer <address>, --json
identity-signer signers list          lists the registry's allowlist; --service <url>, --registry, --from-block, --json
identity-signer watch                 compares claims with the audit trail, and finds forged ones; --once, --brake, --json
identity-signer provider try <name>   signs in at a provider, and tells what it says; --callback <url>
identity-signer key new               writes a new signing key to a keystore; --to <file>, --password-file <file>
identity-signer sessions end          ends all sessions of the verify page
identity-signer --version             prints the release
identity-signer --help                prints this help`;

/** Else what is missing shows as a syntax error somewhere in the middle. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return;
  throw new InvalidInputError(`identity-signer needs Node 22.13 or newer; this is ${process.version}.`);
}

async function serve(): Promise<void> {
  const { startService, untilServiceStopped } = await import("./serve.ts");
  const log = (await import("./startLog.ts")).openStartLog(process.env);
  const service = await startService(process.env, log).catch((error) => {
    log.fatal(error);
    // Whatever is open still.
    process.exit(1);
  });
  await untilServiceStopped(service);
}

async function describeAll(): Promise<string> {
  const { describeSettings } = await import("../index.ts");
  return `${usage}

Settings are environment variables. To read one with a star from a file, set <name>_FILE to its path.
Each provider has settings of its own (docs/providers.md).

${describeSettings()}`;
}

/** The lines of {@link usage} about one command. */
const describeCommand = (name: string): string =>
  usage
    .split("\n")
    .filter((line) => line.startsWith(`identity-signer ${name} `))
    .join("\n");

async function run(name: string | undefined, args: string[]): Promise<void> {
  refuseOldNode();
  if (name === "--help") return print(await describeAll());
  if (name === undefined) return await serve();
  if (name === "--version") return print((await import("../index.ts")).release);
  const command = commands[name];
  if (command === undefined)
    throw new InvalidInputError(`${JSON.stringify(name)} is not a command.\n${usage}`);
  if (args.includes("--help")) return print(describeCommand(name));
  process.exitCode = await command(args);
}

const [name, ...args] = process.argv.slice(2);
try {
  await run(name, args);
} catch (error) {
  if (!(error instanceof InvalidInputError) && !isWrongArgument(error)) throw makeVisible(error);
  printError(error.message);
  // Whatever is open still: after a request is given up, Node keeps connecting to a proxy that hangs up.
  process.exit(1);
}
