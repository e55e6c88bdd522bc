import { checksumAddress, isAddress } from "../address.ts";
import { InvalidInputError } from "../errors.ts";
import type { ParsedSignIn } from "./parse.ts";
import { statement } from "./statement.ts";

/** The request in a sign-in message for a verification. */
export interface SignInRequest {
  /** The wallet that must have signed, checksummed. */
  readonly wallet: string;
  readonly chainId: number;
  /** The consumer contract named in the resources, checksummed. */
  readonly consumer: string;
}

/** The rules of this service. Times are in seconds. */
export interface SignInRules {
  readonly chainId: number;
  /** The greatest age of `Issued At`. */
  readonly maxAge: number;
  /** How far in the future `Issued At` may be. */
  readonly maxClockSkew: number;
}

/** By the wall clock, the message is too old or not valid yet. */
export class MistimedMessageError extends InvalidInputError {}

/**
 * Checks a parsed message against the rules for a verification: statement, chain, the one consumer among its
 * resources, and the wall clock.
 *
 * @param now The wall clock. Chain time is not used here.
 * @throws InvalidInputError naming the field, what it got and what it wants.
 */
export function checkSignIn(message: ParsedSignIn, rules: SignInRules, now: Date): SignInRequest {
  if (message.statement !== statement) {
    throw new InvalidInputError(`The sign-in message's statement must be exactly "${statement}"`);
  }
  if (message.chainId !== rules.chainId) {
    throw new InvalidInputError(
      `The sign-in message's Chain ID is ${message.chainId}; this service serves ${rules.chainId}.`,
    );
  }
  const consumer = findConsumer(message);
  checkTimes(message, rules, now);
  return { wallet: message.address, chainId: message.chainId, consumer };
}

/** Computes the checksum of at most one address, however many are named. */
function findConsumer({ resources, chainId }: ParsedSignIn): string {
  const wanted = `eip155:${chainId}:<consumer contract address>`;
  const wrongAddress = `A resource must be ${wanted}; the address or its checksum is wrong.`;
  const casings: string[] = [];
  for (const resource of resources) {
    const [, chain, address = ""] = /^eip155:(\d+):(.*)/i.exec(resource) ?? [];
    if (chain === undefined) continue;
    if (chain !== String(chainId)) {
      throw new InvalidInputError(
        `The resource eip155:${chain}:… names another chain than the message's Chain ID ${chainId}.`,
      );
    }
    if (!resource.startsWith("eip155:") || !isAddress(address)) throw new InvalidInputError(wrongAddress);
    casings.push(address);
  }
  const named = new Set(casings.map((address) => address.toLowerCase()));
  const [lowerCase, another] = named;
  if (lowerCase === undefined) throw new InvalidInputError(`The resources must include ${wanted}.`);
  if (another !== undefined) {
    throw new InvalidInputError(
      `The resources must name exactly one contract as ${wanted}, not ${named.size}.`,
    );
  }
  const consumer = checksumAddress(lowerCase);
  const allowed = [consumer, lowerCase, `0x${lowerCase.slice(2).toUpperCase()}`];
  if (!casings.every((address) => allowed.includes(address))) throw new InvalidInputError(wrongAddress);
  return consumer;
}

function checkTimes(message: ParsedSignIn, rules: SignInRules, now: Date): void {
  const age = (now.getTime() - message.issuedAt.getTime()) / 1000;
  if (age > rules.maxAge) {
    throw new MistimedMessageError(`The sign-in message was issued more than ${rules.maxAge} seconds ago.`);
  }
  if (age < -rules.maxClockSkew) {
    throw new MistimedMessageError(
      `The sign-in message's Issued At is more than ${rules.maxClockSkew} seconds in the future.`,
    );
  }
  if (message.expirationTime !== undefined && message.expirationTime <= now) {
    throw new MistimedMessageError("The sign-in message has expired (Expiration Time).");
  }
  if (message.notBefore !== undefined && message.notBefore > now) {
    throw new MistimedMessageError("The sign-in message is not valid yet (Not Before).");
  }
}
