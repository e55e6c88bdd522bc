import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/** Three zeros, MCOPY and STOP, as a contract's creation. */
const usesMcopy = "0x5f5f5f5e00";

/**
 * Checks that a chain has the instructions of the registry's code. Without this, the failures name no cause: `invalid
 * opcode`, or a consumer's `InvalidRegistry`.
 *
 * @throws InvalidInputError if the chain's hardfork is before Cancun.
 */
export async function requireCancun(node: Eip1193Connection): Promise<void> {
  try {
    await node.request({ method: "eth_call", params: [{ data: usesMcopy }, "latest"] });
  } catch (error) {
    if (!/opcode/i.test(String(error))) return;
    throw new InvalidInputError(
      'This chain runs a hardfork before Cancun, and the registry needs Cancun or later. In the network\'s configuration, leave hardfork out, or set "cancun" (with chainType "op", "ecotone").',
    );
  }
}
