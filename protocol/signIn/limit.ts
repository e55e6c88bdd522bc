import { InvalidInputError } from "../errors.ts";

/** Bytes of a sign-in message, as UTF-8: what its grammar costs grows with them. */
export const maxMessageBytes = 4_096;

/** @throws InvalidInputError when a message is longer than anybody's needs to be. */
export function checkMessageLength(message: string): void {
  // A unit of UTF-16 takes one to three bytes: most messages need not be encoded to be measured.
  if (message.length * 3 <= maxMessageBytes) return;
  const bytes = message.length > maxMessageBytes ? message.length : new TextEncoder().encode(message).length;
  if (bytes > maxMessageBytes) {
    throw new InvalidInputError(`The sign-in message has more than ${maxMessageBytes} bytes.`);
  }
}
