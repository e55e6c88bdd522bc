/** The words in which nodes refuse because they were asked too much; their codes differ, and some have none. */
const limitWords =
  /too many requests|rate.?limit|request (?:rate|limit|count)|requests? per|per second|compute units|capacity|quota|credits/i;

/** The codes that only mean it: HTTP's, and those of QuickNode, TheRPC and Blast. */
const limitCodes: ReadonlySet<number> = new Set([429, -32007, -32029, -32097]);

/**
 * The words in which nodes refuse events because a range has too many blocks or too many events. The codes tell nothing:
 * Infura has -32005 for both, others -32600, -32602, -32614, -32701, -32000 and 35.
 */
const sizeWords =
  /(?:block|logs?|results?|response|query|ranges?)\W.{0,60}(?:too|exceed|limit|max|over|more than)|(?:too|exceed|limit|max|over|more than|up to).{0,60}\W(?:blocks?|logs|results|response|ranges?)\b/i;

/** Whether a node refused events because it was asked for too many at once. */
export const isTooLarge = (message: string): boolean => sizeWords.test(message) && !limitWords.test(message);

/**
 * Whether a node's error says that it was asked too often. -32005 is EIP-1474's code for it, and Infura's for a query with
 * too many results. Base says -32016, others -32000: those are known by their words, because the codes mean other things
 * elsewhere.
 */
export const isOverLimit = (code: number | undefined, message: string): boolean =>
  limitCodes.has(code ?? 0) || limitWords.test(message) || (code === -32005 && !isTooLarge(message));
