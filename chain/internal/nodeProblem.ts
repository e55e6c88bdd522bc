/** The words in which nodes refuse because they were asked too much; their codes differ, and some have none. */
const limitWords =
  /too many requests|rate.?limit|request (?:rate|limit|count)|requests? per|compute units|capacity|quota|credits/i;

/**
 * Whether a node's error says that it was asked too much. -32005 is EIP-1474's code for it. Base says -32016, QuickNode
 * -32007, others 429 or -32000: those are known by their words, because the codes mean other things elsewhere.
 */
export const isOverLimit = (code: number | undefined, message: string): boolean =>
  code === 429 || code === -32005 || limitWords.test(message);
