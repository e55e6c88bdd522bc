/**
 * Reads a response's text, which is UTF-8.
 *
 * @param sizeLimit In bytes.
 * @param tooLarge Makes the error to reject with when the response is larger.
 */
export async function readText(
  response: Response,
  sizeLimit: number,
  tooLarge: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > sizeLimit) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
