import { didYouMean } from "@hardhat-identity/console/closest";
import { requireOption } from "@hardhat-identity/console/options";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { findStackOf } from "./connect.ts";

/** Finds the consumer of `--consumer`, which is an address or the name of a consumer on the running `identity dev`. */
export async function findConsumer(
  hre: HardhatRuntimeEnvironment,
  asked: { readonly consumer: string | undefined; readonly port: string | undefined },
): Promise<string> {
  const given = requireOption(
    "--consumer",
    asked.consumer,
    "an address, or a name on the running `identity dev`",
  );
  const isName = /^[A-Za-z_$]/.test(given);
  if (!isName || hre.globalOptions.network !== undefined) return parseAddress("--consumer", given);
  const { consumers } = await findStackOf(hre, asked);
  const address = Object.hasOwn(consumers, given) ? consumers[given] : undefined;
  if (address !== undefined) return address;
  throw new InvalidInputError(
    `--consumer must be an address, or one of ${Object.keys(consumers).join(", ")}, got ${JSON.stringify(given)}.${didYouMean(given, Object.keys(consumers))}`,
  );
}
