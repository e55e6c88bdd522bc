import { ParsedMessage } from "@spruceid/siwe-parser";
import { InvalidInputError } from "../errors.ts";

/** A sign-in message, as far as EIP-4361's grammar goes. */
export interface ParsedSignIn {
  readonly domain: string;
  /** EIP-55 checksummed. */
  readonly address: string;
  readonly statement: string | undefined;
  readonly uri: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expirationTime: Date | undefined;
  readonly notBefore: Date | undefined;
  readonly resources: readonly string[];
}

/**
 * Parses an EIP-4361 message. What the grammar refuses is refused, never repaired; what an app demands of a message
 * beyond it stands in `checkSignIn`.
 *
 * @throws InvalidInputError naming the line.
 */
export function parseSignIn(message: string): ParsedSignIn {
  const parsed = readGrammar(message);
  if (!Number.isSafeInteger(parsed.chainId)) {
    throw new InvalidInputError("The sign-in message's Chain ID is too large.");
  }
  return {
    domain: parsed.domain,
    address: parsed.address,
    statement: parsed.statement,
    uri: parsed.uri,
    chainId: parsed.chainId,
    nonce: parsed.nonce,
    issuedAt: parseTime("Issued At", parsed.issuedAt),
    expirationTime: parsed.expirationTime ? parseTime("Expiration Time", parsed.expirationTime) : undefined,
    notBefore: parsed.notBefore ? parseTime("Not Before", parsed.notBefore) : undefined,
    resources: parsed.resources ?? [],
  };
}

function readGrammar(message: string): ParsedMessage {
  try {
    return new ParsedMessage(message);
  } catch (error) {
    // The library's message goes on with a dump of its state; its first line names place and reason.
    const [place] = /^line \d+: [^\n]*/.exec(error instanceof Error ? error.message : "") ?? [];
    throw new InvalidInputError(`The sign-in message is not valid EIP-4361${place ? ` (${place})` : ""}.`);
  }
}

/** RFC 3339 time. A day that its month does not have, which `Date` would move into the next month, is refused. */
function parseTime(field: string, text: string): Date {
  const time = new Date(text);
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number.isNaN(time.getTime()) || Number(day) > daysInMonth) {
    throw new InvalidInputError(`The sign-in message's ${field} is not a valid RFC 3339 time.`);
  }
  return time;
}
