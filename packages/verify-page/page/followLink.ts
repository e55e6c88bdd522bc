/** Milliseconds after which a page that is still there may be used again: somebody has stopped the browser. */
const longestMs = 15_000;

/**
 * Goes to an address. The page is there until the next one begins to come: for seconds, on a slow line, in which nothing
 * is to be done twice. Over when somebody comes back to the page as it was, or nothing has come of it.
 */
export async function followLink(url: string): Promise<void> {
  location.assign(url);
  await new Promise<void>((resolve) => {
    addEventListener("pageshow", () => resolve(), { once: true });
    setTimeout(resolve, longestMs);
  });
}
