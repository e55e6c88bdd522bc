#!/usr/bin/env node
import { InvalidInputError } from "../../protocol/errors.ts";
import type { Command } from "./commands.ts";
import { makeVisible, print, printError } from "./print.ts";

// The binary of the npm package: the signer service as `hardhat identity serve` starts it, without Hardhat, and what
// its operator does to its store.
const commands: Readonly<Record<string, Command>> = {
  check: async (args) => (await import("./check.ts")).check(args),
  migrate: async (args) => (await import("./migrate.ts")).migrate(args),
  audit: async (args) => (await import("./audit.ts")).audit(args),
  credential: async (args) => (await import("./credential.ts")).credential(args),
  pins: async (args) => (await import("./pins.ts")).pins(args),
  signers: async (args) => (await import("./signers.ts")).signers(args),
  sessions: async (args) => (await import("./sessions.ts")).sessions(args),
  backup: async (args) => (await import("./backup.ts")).backup(args),
  export: async (args) => (await import("./moveStore.ts")).exportCredentials(args),
  import: async (args) => (await import("./moveStore.ts")).importCredentials(args),
  "re-encrypt": async (args) => (await import("./reencrypt.ts")).reencrypt(args),
};
const usage = `identity-signer                       starts the service with the settings in the environment
identity-signer check --url <url>     asks a running service for a verification; --consumer <address>, --json
identity-signer migrate               updates the store to this release's schema
identity-signer migrate --status      lists the migrations, and when they ran
identity-signer backup --to <file>    copies an SQLite store, also while it is in use
identity-signer export --to <file>    writes credentials and pins into an encrypted file, for another store
identity-signer import --from <file>  adds those of an export to the store, also while it is in use
identity-signer re-encrypt            encrypts the store with IDENTITY_ENCRYPTION_SECRET, also while it is in use
identity-signer re-encrypt --status   counts the rows that each key encrypts
identity-signer audit list            prints the audit trail; --since <day or time>, --contract <address>, --json
identity-signer audit verify          finds entries that were removed or altered; --head <hash>, --json
identity-signer credential list       lists the wallets' credentials; --wallet, --provider, --limit, --json
identity-signer credential set        stores a credential; --wallet, --provider, --from <file> or --account-id, --traits
identity-signer credential delete     erases a wallet's credential; --wallet, --provider, --json
identity-signer pins list             lists the policies to which contracts are pinned; --json
identity-signer pins reset            forgets the policy to which a contract is pinned; --consumer <address>, --json
identity-signer signers list          lists the registry's allowlist; --service <url>, --registry, --from-block, --json
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
  const service = await startService(process.env, undefined, log).catch((error) => {
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

async function run(name: string | undefined, args: string[]): Promise<void> {
  refuseOldNode();
  if (name === "--help") return print(await describeAll());
  if (name === undefined) return await serve();
  if (name === "--version") return print((await import("../index.ts")).release);
  const command = commands[name];
  if (command === undefined)
    throw new InvalidInputError(`${JSON.stringify(name)} is not a command.\n${usage}`);
  process.exitCode = await command(args);
}

const [name, ...args] = process.argv.slice(2);
try {
  await run(name, args);
} catch (error) {
  const isWrongArgument =
    error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code));
  if (!(error instanceof InvalidInputError) && !isWrongArgument) throw makeVisible(error);
  printError(error.message);
  process.exitCode = 1;
}
