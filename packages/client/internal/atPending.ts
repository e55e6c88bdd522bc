import { lacksPendingBlock } from "@hardhat-identity/protocol/pendingBlock";

/** Asks a node at `pending`, or at `latest` if it has no pending block. */
export const atPending = <T>(ask: (block: "pending" | "latest") => Promise<T>): Promise<T> =>
  ask("pending").catch((error: unknown) => {
    if (!lacksPendingBlock(error)) throw error;
    return ask("latest");
  });
