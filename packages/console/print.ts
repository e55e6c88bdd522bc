// All output of commands and tasks to the terminal goes through this file. The service does not use this folder.

import { randomUUID } from "node:crypto";
import { styleText } from "node:util";

// A reader that has enough, such as `head`, closes the pipe. Later output is dropped, and the program goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A command that must not end early handles the others itself.
    if (error.code !== "EPIPE" && stream.listenerCount("error") === 1) throw error;
  });
}

/** Marks our own colour codes until they are printed. Random, so that no other text can contain it. */
const ours = randomUUID();

/** Characters that move the cursor, clear a line, hide text, or reverse its direction. */
const hiding = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

const shownAs = new RegExp(`${ours}\\u001b|${hiding.source}`, "gu");

/** Colours a text that goes to {@link print}, as Node's `styleText` does. Colours that come otherwise are shown as escapes. */
export const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, visible(text)).replaceAll("\u001b", `${ours}\u001b`);

/**
 * Shows what a terminal would obey as its escape, such as `\u001b`: text may come from a database, a chain, a node or a
 * provider, and must not hide what else is said. Line breaks and tabs stay. JSON stays the same JSON.
 */
export const visible = (text: string): string =>
  text.replace(shownAs, (found) =>
    found.length > 1 || found === "\n" || found === "\t" ? found : escapeCharacter(found),
  );

/** The same for a single line, whose line breaks are escaped, too. */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", escapeCharacter("\n"));

/** Prints on standard output. Whatever a command or a task says goes through here. */
export function print(text: string): void {
  endPassing();
  console.log(printable(text));
}

/** Prints on standard error. */
export function printError(text: string): void {
  endPassing();
  console.error(printable(text));
}

/** Whether the terminal's line holds a text that the next one replaces. */
let isPassing = false;

/** Prints on standard error what the next text replaces. Without a terminal, each gets a line. */
export function printPassing(text: string): void {
  if (!process.stderr.isTTY) {
    printError(text);
    return;
  }
  const fitting = printable(visibleLine(text)).slice(0, (process.stderr.columns || 80) - 1);
  process.stderr.write(`\r\u001b[2K${fitting}`);
  isPassing = true;
}

function endPassing(): void {
  if (isPassing) process.stderr.write("\r\u001b[2K");
  isPassing = false;
}

const printable = (text: string) => visible(text).replaceAll(ours, "");

/** Escapes the text of an error and its causes as {@link visible} does, before Node or Hardhat prints it. */
export function makeVisible<T>(error: T): T {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { message, stack = "" } = each;
    if (visible(message) !== message) each.message = visible(message);
    if (visible(stack) !== stack) each.stack = visible(stack);
  }
  return error;
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
