import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import {
  type Options,
  optional,
  optionalPort,
  parseArguments,
  parseCount,
  parseHex,
  requireOption,
} from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { mintVerification } from "../internal/consumer/mint.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";

export default reporting(
  async (
    args: Options<"consumer" | "user" | "identity" | "traits" | "registry" | "expiration" | "key" | "port">,
    hre,
  ) => {
    const options = {
      consumer: findConsumer(hre, args.consumer, optionalPort("--port", args.port)),
      user: parseAddress("--user", args.user),
      identity: requireOption("--identity", args.identity),
      traits: optional(args.traits, (text) => parseArguments("--traits", text)),
      registry: optional(args.registry, (text) => parseAddress("--registry", text)),
      expiration: optional(args.expiration, (text) => parseCount("--expiration", text)),
      signingKey: args.key === undefined ? undefined : await readSigningKey(hre, args.key),
    };
    const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
    const verification = await mintVerification(connection.provider, options);
    return { json: verification, text: columns(Object.entries(verification)) };
  },
);

/** Reads the key from the environment or Hardhat's keystore, so that it stays out of the shell's history. */
async function readSigningKey(hre: HardhatRuntimeEnvironment, name: string): Promise<string> {
  const value = await hre.hooks.runHandlerChain(
    "configurationVariables",
    "fetchValue",
    [{ _type: "ConfigurationVariable", name }],
    async (_context, variable) => process.env[variable.name] ?? "",
  );
  try {
    return parseHex(name, value, 32);
  } catch {
    throw new InvalidInputError(
      `--key must name a configuration variable that holds a private key (32 bytes as hex); ${name} does not.`,
    );
  }
}
