import { optional, parseCount, requireOption } from "@hardhat-identity/console/options";
import { printError } from "@hardhat-identity/console/print";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { boundedCalls } from "@hardhat-identity/protocol/chain/boundedCalls";
import { allowlistCalls, judgeAllowlist } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseArguments, parseHex } from "../internal/console/options.ts";
import { describeVerification, reporting } from "../internal/console/report.ts";
import { type Binding, mintVerification } from "../internal/consumer/mint.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import { readSeconds } from "../internal/testing/arguments.ts";

export default reporting<"mint">(async (args, hre) => {
  const options = {
    consumer: await findConsumer(hre, args),
    user: parseAddress("--user", args.user),
    identity: requireOption("--identity", args.identity, "any name"),
    traits: optional(args.traits, (text) => parseArguments("--traits", text)),
    registry: optional(args.registry, (text) => parseAddress("--registry", text)),
    expiration: optional(args.expiration, (text) =>
      readSeconds("--expiration", parseCount("--expiration", text)),
    ),
    signingKey: args.key === undefined ? undefined : await readSigningKey(hre, args.key),
  };
  const { connection } = await connectToChain(hre, args);
  const { verification, binding } = await mintVerification(connection.provider, options);
  await warnOfStranger(connection.provider, binding);
  return { json: verification, text: describeVerification(verification) };
});

/** Warns if the registry would refuse the verification: a wrong key looks like any other. */
async function warnOfStranger(node: Eip1193Connection, { registry, signer }: Binding): Promise<void> {
  const allowlist = { registry, signers: [signer] };
  const { problem } = judgeAllowlist(await boundedCalls(node, allowlistCalls(allowlist)), allowlist);
  if (problem !== undefined) printError(`Warning: no contract accepts this verification. ${problem}`);
}

/** From the environment or Hardhat's keystore, so that no key stands in a shell's history. */
async function readSigningKey(hre: HardhatRuntimeEnvironment, name: string): Promise<string> {
  const value = await hre.hooks.runHandlerChain(
    "configurationVariables",
    "fetchValue",
    [{ _type: "ConfigurationVariable", name }],
    async (_context, variable) => process.env[variable.name] ?? "",
  );
  try {
    // Hardhat takes the key of an account without 0x, too.
    return parseHex(name, value.replace(/^(?!0x)/, "0x"), 32);
  } catch {
    throw new InvalidInputError(
      `--key must name a configuration variable that holds a private key (32 bytes as hex); ${name} does not.`,
    );
  }
}
