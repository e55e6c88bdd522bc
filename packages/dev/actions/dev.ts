import { breakCommand } from "@hardhat-identity/console/breakCommand";
import { columns } from "@hardhat-identity/console/columns";
import { optional } from "@hardhat-identity/console/options";
import { print, printError, style } from "@hardhat-identity/console/print";
import { stopSignals, untilStopped } from "@hardhat-identity/console/untilStopped";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { optionalPort } from "hardhat-identity/internal/console/options";
import { orError } from "hardhat-identity/internal/console/report";
import { findRepository } from "hardhat-identity/internal/init/packageManager";
import { forwardingCommand } from "hardhat-identity/internal/stack/ports";
import { openReadyFile } from "hardhat-identity/internal/stack/readyFile";
import type { ProjectConsumer } from "hardhat-identity/internal/stack/running";
import { operatorSettings, toShellWord, writeOperatorSettings } from "../internal/operatorSettings.ts";
import { type Stack, startStack } from "../internal/start.ts";
import { chooseConsumer, suggestCommands } from "../internal/suggest.ts";

export default orError<"dev">(async (args, hre) => {
  const readyFile = optional(args.readyFile, openReadyFile);
  /** Tells scripts where everything is. */
  const tell = (stack: Stack) => {
    readyFile?.update(readyLine(stack));
    if (args.json) print(JSON.stringify(readyLine(stack)));
  };
  const say = (text: string) => args.json || print(text);
  let running: Stack | undefined;
  // Exits, so that temporary folders are removed; by default, a signal ends the process without that.
  const giveUp = () => process.exit(1);
  for (const signal of stopSignals) process.once(signal, giveUp);
  const stack = await startStack(hre, {
    rpcPort: optionalPort("--rpc-port", args.rpcPort) ?? 8545,
    port: optionalPort("--port", args.port) ?? 3000,
    demoPort: optionalPort("--demo-port", args.demoPort),
    deploy: args.deploy,
    store: args.store,
    blockTime: optional(args.blockTime, parseBlockTime),
    isTerminal: process.stdout.isTTY && !args.json,
    onStep: (step) => say(style("gray", `${step} …`)),
    onProject: {
      onDeployed(consumers, cause) {
        if (running !== undefined) tell(running);
        say(tellDeployed(consumers, cause));
      },
      onUnchanged: (cause) => say(style("gray", `The change to ${cause} does not affect what is deployed.`)),
      onBlind: (reason) => printError(style("red", reason)),
      onFailed: (output) => printError(`${output.trim()}\n${style("red", failure)}`),
    },
  });
  running = stack;
  const close = () => {
    readyFile?.remove();
    return stack.close();
  };
  // Before the ready line, because its reader may send a signal at once.
  for (const signal of stopSignals) process.off(signal, giveUp);
  const stopped = untilStopped(close, !args.json);
  try {
    tell(stack);
  } catch (error) {
    await close();
    throw error;
  }
  if (!args.json) print(readyText(stack, findRepository(hre.config.paths.root).packageManager.execute));
  await stopped;
});

/** Seconds, at most as exact as the node counts them: in milliseconds. */
function parseBlockTime(text: string): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new InvalidInputError(
    `--block-time must be a number of seconds, such as 2 or 0.2, got ${JSON.stringify(text)}.`,
  );
}

const failure =
  "This version of the project's modules is not deployed. The stack keeps running; save a change to try again.";

function tellDeployed(consumers: readonly ProjectConsumer[], cause: string | undefined): string {
  const places = consumers.map(({ name, address }) => `${name} at ${address}`);
  return `${style("green", "Deployed")} again after a change to ${cause}: ${places.join(", ") || "no consumer"}.`;
}

function readyLine(stack: Stack): object {
  const { rpcUrl, chainId, registry, signer, signerUrl, consumers } = stack;
  return { rpcUrl, chainId, registry, signer, signerUrl, consumers, settings: operatorSettings(stack) };
}

/** For somebody whose browser is on another machine. */
function tellForwarding({ rpcUrl, signerUrl, sandboxUrl, demoUrl }: Stack): string {
  const command = breakCommand(forwardingCommand([rpcUrl, signerUrl, sandboxUrl, demoUrl]));
  return `To open the pages in a browser on your own machine, forward these ports to it:\n${style("bold", command)}`;
}

/** The command that runs the installed `identity-signer`, and none of the registry's. */
function operatorCommand(execute: string): string {
  const withoutFetching: Readonly<Record<string, string>> = { npx: "npx --no", bunx: "bunx --no-install" };
  return `${withoutFetching[execute] ?? execute} identity-signer`;
}

function readyText(stack: Stack, execute: string): string {
  const suggested = chooseConsumer(stack);
  const places = columns([
    ["Chain", `${stack.chainId} at ${stack.rpcUrl}`],
    ["Signer service", stack.signerUrl],
    ["Verify page", stack.verifyUrl],
    ["Demo", stack.demoUrl],
    ["Signer", stack.signer],
    ["SignerRegistry", stack.registry],
    ...Object.entries(stack.consumers),
  ]).split("\n");
  const firstAddress = 4;
  return [
    "",
    ...places.slice(0, firstAddress),
    ...places.slice(firstAddress).map((line) => style("gray", line)),
    "",
    "To run identity-signer on this store, read its settings into your shell:",
    style("bold", `. ${toShellWord(writeOperatorSettings(stack))}`),
    style("bold", `${operatorCommand(execute)} credential list`),
    "",
    ...(process.env.SSH_CONNECTION === undefined ? [] : [tellForwarding(stack), ""]),
    `Without a browser, try ${suggested.isOwn ? "your" : "the example"} ${suggested.name} in another terminal.`,
    suggested.isOwn
      ? "One person gets in, if the account meets the policy.\nThe second wallet of the same person is refused:"
      : "Account 1 is Alice's phone and account 2 her laptop, which the contract refuses:",
    "",
    ...suggestCommands(stack, suggested, execute).map((command) => style("bold", breakCommand(command))),
    "",
    `${style("green", "Ready.")} Ctrl-C stops the stack.`,
    style(["bold", "green"], `Open ${stack.demoUrl} and claim.`),
  ].join("\n");
}
