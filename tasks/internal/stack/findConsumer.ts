import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { findStackOf } from "./connect.ts";

/**
 * Finds the consumer of `--consumer`, which is an address or the name of a consumer on the running `identity dev`.
 *
 * @throws InvalidInputError if it is neither.
 */
export function findConsumer(
  hre: HardhatRuntimeEnvironment,
  asked: { readonly consumer: string | undefined; readonly port: string | undefined },
): string {
  const { consumer: name } = asked;
  const isName = name !== undefined && /^[A-Za-z_$]/.test(name);
  if (!isName || hre.globalOptions.network !== undefined) return parseAddress("--consumer", name);
  const { consumers } = findStackOf(hre, asked);
  const address = consumers[name];
  if (address !== undefined) return address;
  throw new InvalidInputError(
    `--consumer must be an address, or one of ${Object.keys(consumers).join(", ")}, got ${JSON.stringify(name)}.`,
  );
}
