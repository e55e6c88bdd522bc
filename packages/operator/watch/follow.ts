import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type BlockName, demandHeader, type Header, readHeader } from "./header.ts";
import { isTooMuch } from "./readEvents.ts";

/** Newest blocks whose headers are read one by one, in a look of at most twelve calls; one less beside the confirmed block. */
const maxHeaders = 6;

/** Milliseconds from one reading of the confirmed block to the next, of a node that knows one and of one that does not. */
const [confirmEveryMs, askAgainMs] = [6_000, 600_000];

/** Seconds behind the newest block after which one counts as confirmed where a node knows no such block. */
const confirmSeconds = 1_500;

/** A block that was judged. */
type Judged = BlockName & Pick<Header, "timestamp">;

/**
 * Follows a chain from a confirmed block, each block by the hash of its parent: those that were judged, and which of them can
 * be undone no more.
 *
 * @param options.confirm The name of the block that cannot be undone any more.
 */
export function followChain(
  node: Eip1193Connection,
  options: { readonly confirmed: BlockName; readonly confirm: "safe" | "finalized" },
) {
  let confirmed: Judged = { ...options.confirmed, timestamp: 0 };
  let judged = confirmed;
  /** The blocks that were judged since the confirmed one. */
  let recent: Judged[] = [];
  let confirmable: number | undefined;
  let nextConfirmAt = Number.NEGATIVE_INFINITY;
  let most = maxHeaders;

  /** Begins again after the confirmed block if the last one that was judged is not there any more. */
  async function goBack(): Promise<void> {
    const [{ number, hash }, last] = await Promise.all([
      demandHeader(node, confirmed.number),
      demandHeader(node, judged.number),
    ]);
    if (hash !== confirmed.hash)
      throw new ChainUnavailableError(
        `The node has replaced the final block ${number}: its hash was ${confirmed.hash}, and is ${hash} now. Use another node, or begin again with --from-block.`,
      );
    if (last.hash === judged.hash) throw unlinked();
    [judged, recent] = [confirmed, []];
  }

  return {
    /** The last block that was judged. */
    judged: () => judged,
    confirmed: (): BlockName => ({ number: confirmed.number, hash: confirmed.hash }),

    /** Reads the newest block and, from time to time, the last that cannot be undone. */
    async readHead(): Promise<Header> {
      const now = performance.now();
      const isDue = now >= nextConfirmAt;
      most = isDue ? maxHeaders - 1 : maxHeaders;
      if (!isDue) return await demandHeader(node, "latest");
      const [head, found] = await Promise.all([
        demandHeader(node, "latest"),
        readHeader(node, options.confirm).catch((error: unknown) => {
          if (!isTooMuch(error)) throw error;
        }),
      ]);
      confirmable = found?.number;
      nextConfirmAt = now + (found === undefined ? askAgainMs : confirmEveryMs);
      return head;
    },

    /**
     * Checks that the newest block follows the last one that was judged; if not, goes back to the confirmed one.
     *
     * @returns The newest headers; none if there is no new block.
     */
    async follow(head: Header): Promise<Header[]> {
      for (;;) {
        const gap = head.number - judged.number;
        if (head.hash === judged.hash || gap < 0) return [];
        const isNear = gap <= most;
        const count = Math.max(0, isNear ? gap - 1 : most - 2);
        const numbers = Array.from({ length: count }, (_, i) => head.number - count + i);
        if (!isNear) numbers.unshift(judged.number);
        const headers = await Promise.all(numbers.map((number) => demandHeader(node, number)));
        const before = isNear ? undefined : headers.shift();
        headers.push(head);
        for (const [i, { parentHash }] of headers.entries()) {
          if (i > 0 && headers[i - 1]?.hash !== parentHash) throw unlinked();
        }
        const parent = before?.hash ?? (gap > 0 ? headers[0]?.parentHash : undefined);
        if (parent === judged.hash) return headers;
        await goBack();
      }
    },

    advance({ number, hash, timestamp }: Header): void {
      judged = { number, hash, timestamp };
      recent.push(judged);
    },

    /** Moves the confirmed block on, before one that is still open, to the last that can be undone no more. */
    confirm(head: Header, open: number): void {
      const isConfirmed = ({ number, timestamp }: Judged) =>
        number < open &&
        (confirmable === undefined ? timestamp <= head.timestamp - confirmSeconds : number <= confirmable);
      confirmed = recent.findLast(isConfirmed) ?? confirmed;
      recent = recent.filter(({ number }) => number > confirmed.number);
    },
  };
}

const unlinked = () =>
  new ChainUnavailableError("The node lags: its newest blocks do not follow each other.");
