import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type BlockName, type Header, readHeader, requireHeader } from "./header.ts";
import { orNoAnswer } from "./node.ts";

/** Newest blocks whose headers are read, besides the newest one, in a look of at most twelve calls. */
const maxHeaders = 3;

/** Milliseconds from one reading of the confirmed block to the next. */
const confirmEveryMs = 6_000;

/** The same for a node that knows no such block. */
const askAgainMs = 600_000;

/** Seconds behind the newest block after which one counts as confirmed where a node knows no such block. */
const confirmSeconds = 1_500;

/** The same where it does: some nodes know none but the first for ever. */
const confirmAnywaySeconds = 86_400;

/** Blocks to go back where a watch began with one that was undone, and the node does not know which of a day cannot be. */
const goBackBlocks = 64;

type Judged = BlockName & Pick<Header, "timestamp">;

/**
 * Follows a chain: the blocks that were judged, whether they are still there, and which of them can be undone no more.
 *
 * @param from The last block that was judged for good, or the one with which a watch begins.
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
    if (now < nextConfirmAt) return await requireHeader(node, "latest");
    const [head, found] = await Promise.all([requireHeader(node, "latest"), readTag(tag)]);
    confirmable = found?.number;
    nextConfirmAt = now + (found === undefined ? askAgainMs : confirmEveryMs);
    return head;
  }

  /** Reads the last block that the node knows by a tag, if it knows one. */
  async function readTag(named: typeof tag): Promise<Header | undefined> {
    return await readHeader(node, named).catch(orNoAnswer);
  }

  /** Begins again after the confirmed block. The one with which the watch began was the newest, and may have been undone. */
  async function goBack(head: Header): Promise<void> {
    const { hash, timestamp } = await requireHeader(node, confirmed.number);
    if (hash !== confirmed.hash) {
      // A safe block may be undone, though seldom.
      const final = await readTag("finalized");
      const isFinal = final ? final.number >= confirmed.number : timestamp <= head.timestamp - confirmSeconds;
      if (isFinal)
        throw new ChainUnavailableError(
          `The node has replaced the final block ${confirmed.number}: its hash was ${confirmed.hash}, and is ${hash} now. Use another node, or begin again with --from-block.`,
        );
      const back = await requireHeader(node, Math.max(0, confirmed.number - goBackBlocks));
      confirmed = final && final.timestamp > head.timestamp - confirmAnywaySeconds ? final : back;
    }
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
        requireHeader(node, number),
        Promise.all(numbers.map((each) => requireHeader(node, each))),
      ]);
      if (before.hash !== hash) await goBack(head);
      return { head, newest: newest.concat(head) };
    },

    advance({ number, hash, timestamp }: Header): void {
      recent.push({ number, hash, timestamp });
    },

    /** Moves the confirmed block on, before one that is still open, to the last that can be undone no more. */
    confirm(head: Header, open: number): void {
      const seconds = confirmable === undefined ? confirmSeconds : confirmAnywaySeconds;
      const isConfirmed = ({ number, timestamp }: Judged) =>
        number < open && (number <= (confirmable ?? 0) || timestamp <= head.timestamp - seconds);
      const index = recent.findLastIndex(isConfirmed);
      confirmed = recent[index] ?? confirmed;
      recent = recent.slice(index + 1);
    },
  };
}
