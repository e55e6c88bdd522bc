/** By character code: 0 is not in the set, 1 is in the set, 2 begins a `pct-encoded` of RFC 3986. */
export type Characters = Uint8Array;

const percent = 37;

/** The set of these ASCII characters. `%` adds `pct-encoded`. */
export function charactersOf(characters: string): Characters {
  const set = new Uint8Array(128);
  for (let i = 0; i < characters.length; i++) set[characters.charCodeAt(i)] = 1;
  if (set[percent] === 1) set[percent] = 2;
  return set;
}

export const digits = "0123456789";
export const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const digit = charactersOf(digits);
export const hexDigit = charactersOf(`${digits}ABCDEFabcdef`);

/** The index of the first character outside a set, or the text's length. Reads each character once. */
export function findOther(text: string, set: Characters, from = 0): number {
  let at = from;
  while (at < text.length) {
    const kind = set[text.charCodeAt(at)];
    if (kind === 1) at += 1;
    else if (kind === 2 && isHexDigit(text, at + 1) && isHexDigit(text, at + 2)) at += 3;
    else break;
  }
  return at;
}

const isHexDigit = (text: string, at: number) => hexDigit[text.charCodeAt(at)] === 1;

/** Names a character in an error, which repeats nothing else of a message. */
export function nameCharacter(text: string, at: number): string {
  if (at >= text.length) return "the end";
  return `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0")}`;
}
