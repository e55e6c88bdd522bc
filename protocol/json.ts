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
