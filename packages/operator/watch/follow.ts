import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type BlockName, demandHeader, type Header, readHeader } from "./header.ts";
import { isTooMuch } from "./node.ts";

/** Newest blocks whose headers are read, besides the newest one, in a look of at most twelve calls. */
const maxHeaders = 3;

/** Milliseconds from one reading of the confirmed block to the next, of a node that knows one and of one that does not. */
const [confirmEveryMs, askAgainMs] = [6_000, 600_000];

/** Seconds behind the newest block after which one counts as confirmed where a node knows no such block. */
const confirmSeconds = 1_500;

type Judged = BlockName & Pick<Header, "timestamp">;

/**
 * Follows a chain: the blocks that were judged, whether they are still there, and which of them can be undone no more.
 *
 * @param from A block that cannot be undone any more.
 * @param tag The name by which the node knows the last of these.
 */
export function followChain(node: Eip1193Connection, from: BlockName, tag: "safe" | "finalized") {
  let confirmed: Judged = { ...from, timestamp: 0 };
  /** The blocks that were judged since the confirmed one. */
  let recent: Judged[] = [];
  let confirmable: number | undefined;
  let nextConfirmAt = 0;
  const last = () => recent.at(-1) ?? confirmed;

  /** Reads the newest block and, from time to time, the last that cannot be undone. */
  async function readHead(): Promise<Header> {
    const now = performance.now();
    if (now < nextConfirmAt) return await demandHeader(node, "latest");
    const [head, found] = await Promise.all([
      demandHeader(node, "latest"),
      readHeader(node, tag).catch((error: unknown) => {
        if (!isTooMuch(error)) throw error;
      }),
    ]);
    confirmable = found?.number;
    nextConfirmAt = now + (found === undefined ? askAgainMs : confirmEveryMs);
    return head;
  }

  /** Begins again after the confirmed block. */
  async function goBack(): Promise<void> {
    const { hash } = await demandHeader(node, confirmed.number);
    if (hash !== confirmed.hash)
      throw new ChainUnavailableError(
        `The node has replaced the final block ${confirmed.number}: its hash was ${confirmed.hash}, and is ${hash} now. Use another node, or begin again with --from-block.`,
      );
    recent = [];
  }

  return {
    /** The number of the last block that was judged. */
    judged: () => last().number,
    confirmed: (): BlockName => ({ number: confirmed.number, hash: confirmed.hash }),

    /**
     * Reads the newest block. If the last one that was judged is not there any more, goes back to the confirmed one.
     *
     * @returns `newest` has the newest headers; none if there is no new block.
     */
    async readNew(): Promise<{ head: Header; newest: Header[] }> {
      const head = await readHead();
      const { number, hash } = last();
      // A node that is behind undoes nothing.
      if (head.hash === hash || head.number < number) return { head, newest: [] };
      if (head.parentHash === hash) return { head, newest: [head] };
      const count = Math.max(0, Math.min(head.number - number - 1, maxHeaders));
      const numbers = Array.from({ length: count }, (_, i) => head.number - count + i);
      const [before, newest] = await Promise.all([
        demandHeader(node, number),
        Promise.all(numbers.map((each) => demandHeader(node, each))),
      ]);
      if (before.hash !== hash) await goBack();
      return { head, newest: newest.concat(head) };
    },

    advance({ number, hash, timestamp }: Header): void {
      recent.push({ number, hash, timestamp });
    },

    /** Moves the confirmed block on, before one that is still open, to the last that can be undone no more. */
    confirm(head: Header, open: number): void {
      const isConfirmed = ({ number, timestamp }: Judged) =>
        number < open &&
        (confirmable === undefined ? timestamp <= head.timestamp - confirmSeconds : number <= confirmable);
      const index = recent.findLastIndex(isConfirmed);
      confirmed = recent[index] ?? confirmed;
      recent = recent.slice(index + 1);
    },
  };
}
