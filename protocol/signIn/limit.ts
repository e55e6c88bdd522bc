import { InvalidInputError } from "../errors.ts";

/** Bytes of a sign-in message, as UTF-8: what its grammar costs grows with them. */
export const maxMessageBytes = 4_096;

/** @throws InvalidInputError when a message is longer than anybody's needs to be. */
export function checkMessageLength(message: string): void {
  // No character takes less than a byte: most of what is too long need not be encoded to be refused.
  const bytes = message.length > maxMessageBytes ? message.length : new TextEncoder().encode(message).length;
  if (bytes > maxMessageBytes) {
    throw new InvalidInputError(`The sign-in message has more than ${maxMessageBytes} bytes.`);
  }
}
