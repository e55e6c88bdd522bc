/**
 * Returns the text of a file that a person may have written, without the byte order mark that editors and shells on
 * Windows put first. Windows PowerShell writes UTF-16 where its output is redirected; all else is UTF-8.
 */
export function decodeFile(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}
