import { demandAllowed, type MakeLimiter } from "../limits/limiter.ts";

/** For how many contracts a wallet can ask as often as it may for one. */
const contracts = 5;

/**
 * Limits how often a wallet is answered: for one contract, and five times as often for all of them. An app that keeps sending
 * the one message that it has uses up what the wallet has at its own contract, and nothing elsewhere.
 *
 * @param requests In a minute, for one contract; 0 for no limit.
 * @returns What counts a request of a wallet for a contract (both checksummed), whose signature was proven before: otherwise
 * anybody could use up another's share. Throws ServiceError `rate_limited`.
 */
export function limitWallets(
  requests: number,
  makeLimiter: MakeLimiter,
): (wallet: string, consumer: string) => void {
  if (requests === 0) return () => undefined;
  const ofOne = makeLimiter("wallet", requests);
  const ofAll = makeLimiter("wallet", requests * contracts);
  return (wallet, consumer) => {
    demandAllowed(ofOne.count(`${wallet} ${consumer}`), ofOne.limit, " of one wallet for one contract");
    demandAllowed(ofAll.count(wallet), ofAll.limit, " of one wallet");
  };
}
