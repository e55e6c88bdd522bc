/** Counts a noun that takes an s: "1 row", "2 rows". */
export const plural = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
