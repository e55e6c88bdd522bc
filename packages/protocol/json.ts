/** The text of a JSON number, so that none is rounded. */
export class JsonNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON without losing a digit of a number.
 *
 * @param readNumber Converts the text of a number; by default to a {@link JsonNumber}.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJsonLosslessly(
  text: string,
  readNumber: (source: string) => unknown = (source) => new JsonNumber(source),
): unknown {
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === "number" ? readNumber(context?.source ?? String(value)) : value,
  );
}

/** Whether a parsed value is an object, and neither an array nor a {@link JsonNumber}. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** Parses a JSON object as {@link parseJsonLosslessly} does. Returns `undefined` if the text is not one. */
export function parseObjectLosslessly(
  text: string,
  readNumber?: (source: string) => unknown,
): Record<string, unknown> | undefined {
  try {
    const parsed = parseJsonLosslessly(text, readNumber);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Reads an unknown value's members, each of them unknown; a value that is no object has none of its own. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
