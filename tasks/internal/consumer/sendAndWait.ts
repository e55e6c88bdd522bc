import { IdentityError, type Receipt, sendCall, waitForReceipt } from "@hardhat-identity/client";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/**
 * Sends a transaction and waits for its block.
 *
 * @throws IdentityError if it was not sent, or may not have been (`client_outcome_unknown`).
 * @throws InvalidInputError that names the transaction if it failed after it was sent, so that nobody sends it twice.
 */
export async function sendAndWait(
  node: Eip1193Connection,
  call: Parameters<typeof sendCall>[1],
): Promise<Receipt> {
  const hash = await sendCall(node, call);
  try {
    return await waitForReceipt(node, { hash });
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    throw new InvalidInputError(`${error.message} It was sent as ${hash}.`, { cause: error });
  }
}
