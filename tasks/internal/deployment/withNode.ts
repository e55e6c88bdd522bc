import { HardhatPluginError } from "hardhat/plugins";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { makeVisible } from "../../../signer/cli/print.ts";

/**
 * Asks the node of `--network` something, before Ignition does.
 *
 * @param consequence What a refusal means, as a sentence.
 * @throws HardhatPluginError in place of an InvalidInputError: its message alone is shown, without a stack trace.
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
