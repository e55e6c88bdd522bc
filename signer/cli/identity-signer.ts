#!/usr/bin/env node
import { didYouMean } from "../../console/closest.ts";
import { makeVisible, print, printError } from "../../console/print.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { type Command, describeWrongArgument, isWrongArgument } from "./commands.ts";
import { commandWords, describeCommand, describeCommands } from "./usage.ts";

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
  secret: async (args) => (await import("./secret.ts")).secret(args),
  sessions: async (args) => (await import("./sessions.ts")).sessions(args),
  backup: async (args) => (await import("./backup.ts")).backup(args),
  move: async (args) => (await import("./moveStore.ts")).move(args),
  "re-encrypt": async (args) => (await import("./reencrypt.ts")).reencrypt(args),
};

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
  return `${describeCommands()}

identity-signer <command> --help shows a command's options.

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
  if (command === undefined) {
    throw new InvalidInputError(
      `${JSON.stringify(name)} is not a command.${didYouMean(name, commandWords)}\nidentity-signer --help lists the commands.`,
    );
  }
  if (args.includes("--help")) return print(describeCommand([name, ...args]));
  process.exitCode = await command(args);
}

const [name, ...args] = process.argv.slice(2);
try {
  await run(name, args);
} catch (error) {
  if (!(error instanceof InvalidInputError) && !isWrongArgument(error)) throw makeVisible(error);
  printError(isWrongArgument(error) ? describeWrongArgument(error, process.argv.slice(2)) : error.message);
  // Whatever is open still: after a request is given up, Node keeps connecting to a proxy that hangs up.
  process.exit(1);
}
