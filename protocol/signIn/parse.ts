import { ParsedMessage } from "@spruceid/siwe-parser";
import { InvalidInputError } from "../errors.ts";
import { checkMessageLength } from "./limit.ts";

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
 * @throws InvalidInputError naming the line; also of more than 4 096 bytes, before the grammar costs anything.
 */
export function parseSignIn(message: string): ParsedSignIn {
  checkMessageLength(message);
  const parsed = readGrammar(message);
  if (!Number.isSafeInteger(parsed.chainId)) {
    throw new InvalidInputError("The sign-in message's Chain ID is too large.");
  }
  const resources = parsed.resources ?? [];
  checkHost("domain", parsed.domain);
  checkHost("URI", parsed.uri);
  for (const resource of resources) checkHost("Resources", resource);
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
    resources,
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

/**
 * Refuses an IPv6 address that RFC 3986 does not have: the library takes any digits for an IPv4 address at its end.
 * URL's own parser takes exactly those of RFC 3986. In what the grammar passed, brackets stand around addresses alone.
 */
function checkHost(field: string, text: string): void {
  const [address] = /\[[^v].*\]/i.exec(text) ?? [];
  if (address !== undefined && !URL.canParse(`https://${address}`)) {
    throw new InvalidInputError(`The sign-in message's ${field} has an invalid IPv6 address.`);
  }
}

/**
 * RFC 3339 time. A second 60 is a leap second, and so the last one of a month in UTC (section 5.7, appendix D); `Date`
 * has none, and gives the one after it.
 */
function parseTime(field: string, text: string): Date {
  const leap = text.slice(17, 19) === "60";
  const time = leap ? new Date(Date.parse(`${text.slice(0, 17)}59${text.slice(19)}`) + 1000) : new Date(text);
  if (Number.isNaN(time.getTime()) || (leap && !/-01T00:00:00\.\d+Z$/.test(time.toISOString()))) {
    throw new InvalidInputError(`The sign-in message's ${field} is not a valid RFC 3339 time.`);
  }
  return time;
}
