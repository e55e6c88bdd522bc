/** Returns a file's text without the byte order mark that editors and shells on Windows put first. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");
