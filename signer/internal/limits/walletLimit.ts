import { type MakeLimiter, requireAllowed } from "./limiter.ts";

/** A wallet's limit for all contracts together, as a multiple of its limit for one. */
const contracts = 5;

/**
 * Limits the requests of a wallet: for one contract, and five times as many for all contracts together. An app that
 * keeps sending the same message uses up the wallet's limit for its own contract only.
 *
 * @param requests Requests a minute for one contract; 0 for no limit.
 * @returns A function that counts a request of a wallet for a contract, both checksummed. It must be called after the
 * signature is verified: otherwise anybody could use up the limits of others. It throws ServiceError `rate_limited`.
 */
export function limitWallets(
  requests: number,
  makeLimiter: MakeLimiter,
): (wallet: string, consumer: string) => void {
  if (requests === 0) return () => undefined;
  const ofOne = makeLimiter("wallet", requests);
  const ofAll = makeLimiter("wallet", requests * contracts);
  return (wallet, consumer) => {
    requireAllowed(ofOne, `${wallet} ${consumer}`, " of one wallet for one contract");
    requireAllowed(ofAll, wallet, " of one wallet");
  };
}
