import { InvalidInputError } from "../errors.ts";

/** The limit of a sign-in message in UTF-8 bytes. The cost of parsing grows with them. */
export const maxMessageBytes = 4_096;

/** @throws InvalidInputError when a message exceeds the limit. */
export function checkMessageLength(message: string): void {
  if (new TextEncoder().encode(message).length > maxMessageBytes) {
    throw new InvalidInputError(`The sign-in message has more than ${maxMessageBytes} bytes.`);
  }
}
