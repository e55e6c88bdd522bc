import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";
import { makeVisible } from "../../../console/print.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";

/**
 * Connects to the node of `--network` and runs a function with the connection.
 *
 * @param consequence A sentence to append to the message of an InvalidInputError.
 * @throws HardhatPluginError instead of an InvalidInputError: Hardhat shows only its message, without a stack trace.
 */
export async function withNode<T>(
  hre: HardhatRuntimeEnvironment,
  ask: (connection: NetworkConnection<string>) => Promise<T>,
  consequence = "",
): Promise<T> {
  const connection = await hre.network.create<string>();
  try {
    return await ask(connection);
  } catch (error) {
    makeVisible(error);
    if (!(error instanceof InvalidInputError)) throw error;
    throw new HardhatPluginError("hardhat-identity", `${error.message} ${consequence}`.trim(), error);
  } finally {
    await connection.close();
  }
}
