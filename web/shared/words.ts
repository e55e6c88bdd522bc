/** A trait's name as a person reads it: `verified_type` → `Verified type`. */
export function nameTrait(trait: string): string {
  const words = trait.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A trait's value as a person reads it. */
export function writeTrait(value: string): string {
  if (value === "true") return "yes";
  if (value === "false") return "no";
  return /^-?\d+$/.test(value) ? BigInt(value).toLocaleString("en") : value;
}

/** A moment, unix seconds, in the person's own time zone. */
export function writeTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
}

/** The ends of an address, enough to tell it from one's others. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
