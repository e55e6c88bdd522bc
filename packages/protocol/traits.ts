import { catalogue, type TraitType } from "./catalogue.ts";
import { describeValue } from "./describeValue.ts";
import { InvalidInputError } from "./errors.ts";
import { JsonNumber, parseObjectLosslessly } from "./json.ts";

/**
 * The traits of an account at a provider: name → value, written as in a condition (a canonical decimal integer, `true` or
 * `false`, or any text).
 */
export type Traits = Readonly<Record<string, string>>;

const canonicalInteger = /^(0|-?[1-9][0-9]*)$/;

/** Whether a text is a value of the type: a canonical decimal integer, exactly `true` or `false`, any string. */
export function isTraitValue(type: TraitType, text: string): boolean {
  if (type === "int") return canonicalInteger.test(text);
  if (type === "bool") return text === "true" || text === "false";
  return true;
}

/**
 * Reads the traits of `--traits` from JSON text: an object whose keys are traits of the provider. Integers may be JSON
 * numbers of any size, read without loss, or decimal strings.
 *
 * @throws InvalidInputError naming the trait, what it got and what it wants.
 */
export function parseTraits(provider: string, json: string): Traits {
  const values = parseObjectLosslessly(json);
  if (values === undefined) {
    throw new InvalidInputError(`--traits must be a JSON object in quotes, such as '{"followers":1200}'.`);
  }
  return collectTraits(provider, values, writeTraitValue);
}

/** Traits in code: an integer is a number or a bigint. */
export type TraitValues = Readonly<Record<string, string | number | bigint | boolean>>;

/**
 * Reads the traits of a test, in which a text for an integer or a boolean is a mistake.
 *
 * @throws InvalidInputError naming the trait, what it got and what it wants.
 */
export function readTypedTraits(provider: string, values: Readonly<Record<string, unknown>>): Traits {
  return collectTraits(provider, values, (type, value) =>
    type !== "string" && typeof value === "string" ? undefined : writeTraitValue(type, value),
  );
}

/**
 * Reads traits from an object whose keys are traits of the provider; integers and booleans may be texts.
 *
 * @throws InvalidInputError naming the trait, what it got and what it wants.
 */
export function readTraits(provider: string, values: Readonly<Record<string, unknown>>): Traits {
  return collectTraits(provider, values, (type, value) => {
    if (typeof value === "string") return isTraitValue(type, value) ? value : undefined;
    return writeTraitValue(type, value);
  });
}

function collectTraits(
  provider: string,
  values: Readonly<Record<string, unknown>>,
  write: (type: TraitType, value: unknown) => string | undefined,
): Traits {
  const known = catalogue.get(provider);
  if (known === undefined) {
    throw new InvalidInputError(
      `Unknown provider ${JSON.stringify(provider)}; known are ${[...catalogue.keys()].join(", ")}.`,
    );
  }
  const traits: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const entry = known.get(name);
    if (entry === undefined) {
      throw new InvalidInputError(
        `Provider ${provider} has no trait ${JSON.stringify(name)}; it has ${[...known.keys()].join(", ")}.`,
      );
    }
    const text = write(entry.type, value);
    // Every integer in the catalogue counts something.
    if (text === undefined || (entry.type === "int" && text.startsWith("-"))) {
      const wanted = { int: "an integer from 0", bool: "true or false", string: "a string" }[entry.type];
      throw new InvalidInputError(`Trait ${name} must be ${wanted}, got ${describeValue(value)}.`);
    }
    traits[name] = text;
  }
  return traits;
}

/**
 * The text of a trait's value; `undefined` if it is not of the type. Integers may be losslessly parsed JSON numbers, safe
 * integers, bigints or decimal strings.
 */
export function writeTraitValue(type: TraitType, value: unknown): string | undefined {
  if (type === "int") {
    const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
    const given = value instanceof JsonNumber ? value.source : value;
    const text = isInteger ? String(value) : given;
    return typeof text === "string" && isTraitValue("int", text) ? text : undefined;
  }
  if (type === "bool") return typeof value === "boolean" ? String(value) : undefined;
  return typeof value === "string" ? value : undefined;
}
