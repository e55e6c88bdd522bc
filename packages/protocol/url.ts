/** Parses a URL; `undefined` if it is none. `URL.canParse` is missing in browsers that the pages and the client run in. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
