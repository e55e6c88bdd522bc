import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { findStack } from "./running.ts";

/**
 * The consumer that `--consumer` names: by its address, or by the name under which the running `identity dev` has it.
 *
 * @throws InvalidInputError when it is neither.
 */
export function findConsumer(
  hre: HardhatRuntimeEnvironment,
  name: string | undefined,
  port?: number,
): string {
  const isName = name !== undefined && /^[A-Z]/.test(name) && hre.globalOptions.network === undefined;
  if (!isName) return parseAddress("--consumer", name);
  const { consumers } = findStack(port);
  const address = consumers[name];
  if (address !== undefined) return address;
  throw new InvalidInputError(
    `--consumer must be an address, or one of ${Object.keys(consumers).join(", ")}, got ${JSON.stringify(name)}.`,
  );
}
