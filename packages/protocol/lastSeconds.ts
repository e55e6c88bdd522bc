/** The last second of a chain, unix time: the contracts keep times in a `uint40`. A time in milliseconds is later. */
export const lastChainSecond = 2 ** 40 - 1;

/** The last second that a Date has. A contract may name a later one, to admit nobody ever again. */
export const lastDateSecond = 8.64e12;
