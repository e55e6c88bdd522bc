// Does one person count twice?
import type { Attack } from "../judge.ts";
import { inOneTransaction, reentered } from "./counting/atOnce.ts";
import { choosing, forgedWithChoice } from "./counting/choices.ts";
import { counts } from "./counting/counts.ts";
import { acrossEntryPoints } from "./counting/crossing.ts";

/** The first two show whether wallets or identities are remembered. */
export const counting: readonly Attack[] = [
  ...counts,
  choosing,
  forgedWithChoice,
  inOneTransaction,
  acrossEntryPoints,
  reentered,
];
