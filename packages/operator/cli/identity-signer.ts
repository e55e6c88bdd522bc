#!/usr/bin/env node
import net from "node:net";
import { makeVisible, print, printError } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { argumentsOf, describeCommand, describeCommands, findCommand } from "./commands.ts";

// The binary of the npm package: the signer service, and what its operator does to its store. Needs no Hardhat.

/** Checks the Node version first: older ones fail with a SyntaxError. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return;
  throw new InvalidInputError(`identity-signer needs Node 22.13 or newer; this is ${process.version}.`);
}

/**
 * Node gives up a connection to each of a host's addresses but the last after 250 ms, so a host that is far away "cannot be
 * reached". An operator who has set another time knows better.
 */
function waitForFarHosts(): void {
  if (net.getDefaultAutoSelectFamilyAttemptTimeout() === 250)
    net.setDefaultAutoSelectFamilyAttemptTimeout(1_000);
}

/**
 * Fails where the output cannot be written, because a list that ends early looks whole. A watch that judges once still acts
 * on what it finds before.
 */
function requireOutput(mustAct: boolean): void {
  process.stdout.once("error", ({ code }: NodeJS.ErrnoException) => {
    const fail = () => {
      printError(`The output ends early: it cannot be written (${code}).`);
      process.exit(failure);
    };
    // The reader (`head`, say) has closed the pipe.
    const isEnough = code === "EPIPE";
    if (!mustAct) return isEnough ? process.exit() : fail();
    process.stdout.on("error", () => undefined);
    if (!isEnough) process.once("exit", fail);
  });
}

/** Goes on where the output cannot be written: a watch without a log still removes the signer of a forged claim. */
function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

let failure = 1;

async function runCommand(words: readonly string[]): Promise<void> {
  refuseOldNode();
  waitForFarHosts();
  if (words[0] === "--help") return print(describeCommands());
  if (words[0] === "--version") return print((await import("@hardhat-identity/signer/release")).release);
  if (words.includes("--help")) return print(describeCommand(words));
  const command = findCommand(words);
  failure = command.failure;
  if (command.isLasting && !words.includes("--once")) outliveOutput();
  else requireOutput(command.isLasting);
  process.exitCode = await command.run(argumentsOf(command, words));
}

try {
  await runCommand(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof InvalidInputError)) throw makeVisible(error);
  printError(error.message);
  // Exit despite open handles: after an aborted request, Node keeps connecting to a proxy that hangs up.
  process.exit(failure);
}
