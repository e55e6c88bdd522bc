import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { id, type ParamType } from "ethers";
import type { Door, EntryPoint, Part } from "./functions.ts";
import { fits } from "./given.ts";

/** The values for arguments other than the verification. */
export interface Choice {
  /** For integers; cut to the largest value of the type. */
  readonly number: bigint;
  /** For integers after the first one; the same by default. */
  readonly nextNumber?: bigint | undefined;
  /** For addresses in their order, the last one for all that follow; the caller by default. */
  readonly addresses?: readonly string[] | undefined;
  /** For booleans; true by default. */
  readonly flag?: boolean;
  /** For 32 bytes, such as a round or the hash of an identity. */
  readonly word?: string | undefined;
  /** For the first text, such as a name that somebody has. */
  readonly text?: string | undefined;
  /** For bytes; empty by default. */
  readonly bytes?: string;
  /** For how many items there are in a list. */
  readonly items: 0 | 1;
  /** Wei to send along, if the function takes ether. */
  readonly value: bigint;
  /** The user's values by parameter name, which come first. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
}

/** Invents the values of a function's parameters. */
export function invent(
  { fragment, ...door }: Door | EntryPoint,
  choice: Choice & { readonly caller: string },
  verification?: SignedVerification,
): unknown[] {
  let { text, number } = choice;
  const people = [...(choice.addresses ?? [choice.caller])];
  const places = "places" in door ? door.places : new Map<string, Part>();
  return inventAll(fragment?.inputs ?? [], "");

  function inventAll(inputs: readonly ParamType[], prefix: string): unknown[] {
    return inputs.map((type, i) => inventOne(type, `${prefix}${i}`));
  }

  function inventOne(type: ParamType, path: string): unknown {
    const part = places.get(path);
    if (verification !== undefined && part !== undefined) return verification[part];
    if (choice.given !== undefined && Object.hasOwn(choice.given, type.name)) {
      const value = choice.given[type.name];
      if (fits(type, value)) return value;
    }
    if (type.isTuple()) return inventAll(type.components, `${path}.`);
    if (type.isArray()) {
      const length = type.arrayLength === -1 ? choice.items : type.arrayLength;
      return Array.from({ length }, () => inventOne(type.arrayChildren, `${path}.item`));
    }
    return inventWord(type);
  }

  function takeText(): string {
    const first = text ?? "attack";
    text = undefined;
    return first;
  }

  function takeNumber(): bigint {
    const one = number;
    number = choice.nextNumber ?? number;
    return one;
  }

  function inventWord({ type, name }: ParamType): unknown {
    const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
    // A deadline must lie in the future.
    if (bits !== undefined && /deadline|until|expiry|expires|expiration/i.test(name))
      return cut(2n ** 40n - 1n, BigInt(bits) - 1n);
    if (bits !== undefined) return cut(takeNumber(), BigInt(bits) - (unsigned ? 0n : 1n));
    if (type === "address") return people.length > 1 ? people.shift() : people[0];
    if (type === "bool") return choice.flag ?? true;
    if (type === "string") return takeText();
    if (type === "bytes") return choice.bytes ?? "0x";
    const [, size] = /^bytes(\d+)$/.exec(type) ?? [];
    return (choice.word ?? id("attack")).slice(0, 2 + 2 * Number(size ?? 0));
  }
}

const cut = (number: bigint, bits: bigint) => {
  const most = (1n << bits) - 1n;
  return number > most ? most : number;
};

/** Amounts and numbers to try, in this order: one unit, the first of a list, a whole token, the second of a list. */
const numbers = [1n, 0n, 10n ** 18n, 2n];

/**
 * Lists what to make arguments of, until a function takes it.
 *
 * @param amounts Numbers to try besides the usual ones, such as a price.
 */
export function choices(
  { fragment, payable, ...door }: Door | EntryPoint,
  amounts: readonly bigint[] = [],
): Choice[] {
  const text = fragment?.format("sighash") ?? "";
  const isPair = (text.match(/int\d/g) ?? []).length > ("places" in door ? 2 : 1);
  const hasNumber = /int\d/.test(text);
  const flags = /bool/.test(text) ? [true, false] : [true];
  const hasList = /\[\]/.test(text);
  const values = payable ? [...new Set([1n, 0n, ...amounts, 10n ** 18n])] : [0n];
  const found: Choice[] = [];
  for (const items of hasList ? ([1, 0] as const) : ([1] as const)) {
    for (const value of values) {
      for (const number of hasNumber ? [...new Set([...numbers, ...amounts])] : [1n])
        for (const flag of flags) found.push({ number, flag, items, value });
    }
  }
  const [usual] = found;
  // A thing and how many of it, or a place and another one.
  const pairs = [[0n, 1n], [1n, 0n], [1n, 2n], ...amounts.map((amount) => [amount, 1n])];
  if (isPair && usual !== undefined)
    found.splice(40, 0, ...pairs.map(([number = 0n, nextNumber]) => ({ ...usual, number, nextNumber })));
  return found.slice(0, 60);
}

/** Lists who may be named in a function's addresses: each person alone and, in a function with several, each beside another. */
export function namings({ name }: Door, people: readonly string[]): string[][] {
  const all = [...new Set(people)];
  const alone = all.map((each) => [each]);
  if ((name.match(/address/g) ?? []).length < 2) return alone;
  return [...alone, ...all.flatMap((one) => all.flatMap((other) => (one === other ? [] : [[one, other]])))];
}
