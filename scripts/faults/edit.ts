/** A change of a text: the part that it replaces, and what it replaces it by. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
  /** The part of the text to show, if that is more than what is replaced. */
  readonly shown?: readonly [start: number, end: number];
}

/** Operators, and what takes their place. */
export const swaps: Readonly<Record<string, string>> = {
  ">": ">=",
  ">=": ">",
  "<": "<=",
  "<=": "<",
  "==": "!=",
  "!=": "==",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "+=": "-=",
  "-=": "+=",
};
