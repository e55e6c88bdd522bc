/** A JSON number as it was written, so that none is rounded. */
export class JsonNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON without losing a digit: every number becomes a {@link JsonNumber}.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJsonLosslessly(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === "number" ? new JsonNumber(context?.source ?? String(value)) : value,
  );
}
