import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { within } from "@hardhat-identity/protocol/within";
import { type Log, type Query, readInParts, readLogs } from "./reading/events.ts";
import type { Share } from "./reading/shares.ts";
import type { Teller } from "./telling/teller.ts";

/** Failures in a row after which the node counts as one that always refuses. */
const maxFailures = 3;

/** Milliseconds for which a node that always refuses is not asked. */
const refusedMs = 600_000;

/** Milliseconds that the node may take for the events of all contracts. The next claims at known consumers wait for it. */
const patienceMs = 5_000;

/** Milliseconds for which a node that took too long is not asked. */
const slowMs = 60_000;

/** A range of more blocks is asked for in parts where it takes the node too long. */
const fewBlocks = 64;

const isRefusal = ({ refused, limit }: ChainUnavailableError) => refused && limit !== "size";

/**
 * Reads the claims at all contracts, as far as the node gives them.
 *
 * @param options.share The share of which each further answer takes.
 */
export function readerOfAll(options: {
  readonly node: Eip1193Connection;
  readonly share: Share;
  readonly teller: Teller;
}) {
  const { node, share, teller } = options;
  let [failures, askAt] = [0, 0];

  return {
    /** Asks; `undefined` where the node has refused lately. */
    ask: (query: Query): Promise<Log[]> | undefined =>
      performance.now() < askAt ? undefined : readLogs(node, query),

    /** Reads what was asked to its end; `undefined` if the node does not give all. */
    async read(query: Query, first: Promise<Log[]>): Promise<Log[] | undefined> {
      let isWhole = true;
      const onLeft = (left: Query, problem: string) => {
        isWhole = false;
        teller.notePart(left, problem);
      };
      let isLate = false;
      const late = () => {
        isLate = true;
        return new ChainUnavailableError("The node did not answer in time.", { limit: "time" });
      };
      const again = (error: unknown) => {
        const mayBeGiven = error instanceof ChainUnavailableError && error.limit !== "size" && !isLate;
        return mayBeGiven ? readLogs(node, query) : first;
      };
      try {
        const asked = within(patienceMs, first.catch(again), late);
        const logs = await readInParts(node, query, { share, onLeft }, asked);
        failures = 0;
        return isWhole ? logs : undefined;
      } catch (error) {
        if (!(error instanceof ChainUnavailableError)) throw error;
        // It may be what the node does with long ranges.
        const isLong = query.to - query.from >= fewBlocks;
        const isSlow = error.limit === "time" && !isLong;
        // Or a bad moment of the node's.
        if (!isRefusal(error) && !isSlow && (query.from < query.to || ++failures < maxFailures)) throw error;
        [failures, askAt] = [0, performance.now() + (isSlow ? slowMs : refusedMs)];
        onLeft(query, `The node does not give the events of all contracts: ${error.message}`);
        return undefined;
      }
    },
  };
}
