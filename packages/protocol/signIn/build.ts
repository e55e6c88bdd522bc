import { checksumAddress } from "../address.ts";
import { checkMessageLength } from "./limit.ts";
import { statement } from "./statement.ts";

/** The fields of every EIP-4361 message. Times are `Date`s of the wall clock. */
export interface MessageFields {
  /** Host (and port) that asks, such as `app.example`. */
  readonly domain: string;
  /** The wallet that signs. */
  readonly address: string;
  /** The page that asks, an RFC 3986 URI. */
  readonly uri: string;
  readonly chainId: bigint | number;
  /** 8 or more letters and digits. */
  readonly nonce: string;
  readonly issuedAt: Date;
  readonly expirationTime?: Date;
  readonly notBefore?: Date;
}

/** The fields of a sign-in message for a verification. */
export interface SignInFields extends MessageFields {
  /** The consumer contract that will check the verification. */
  readonly consumer: string;
}

/**
 * Builds the EIP-4361 message that a wallet signs to get a verification.
 *
 * @throws InvalidInputError when it would have more than 4,096 bytes.
 * @example
 * ```ts
 * const message = buildSignInMessage({
 *   domain: "app.example",
 *   address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   uri: "https://app.example/claim",
 *   chainId: 84532,
 *   consumer: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
 *   nonce: "8f3a1c77d0b2",
 *   issuedAt: new Date(),
 * });
 * ```
 */
export function buildSignInMessage(fields: SignInFields): string {
  const resources = [`eip155:${fields.chainId}:${checksumAddress(fields.consumer)}`];
  return buildMessage({ ...fields, statement, resources });
}

/**
 * Builds an EIP-4361 message.
 *
 * @param fields.statement One line, which says what the signature is for.
 * @param fields.resources URIs; none by default.
 * @throws InvalidInputError when it would have more than 4,096 bytes.
 */
export function buildMessage(
  fields: MessageFields & { readonly statement: string; readonly resources?: readonly string[] },
): string {
  const { expirationTime, notBefore, resources = [] } = fields;
  const message = [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    checksumAddress(fields.address),
    "",
    fields.statement,
    "",
    `URI: ${fields.uri}`,
    "Version: 1",
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt.toISOString()}`,
    ...(expirationTime ? [`Expiration Time: ${expirationTime.toISOString()}`] : []),
    ...(notBefore ? [`Not Before: ${notBefore.toISOString()}`] : []),
    ...(resources.length > 0 ? ["Resources:", ...resources.map((resource) => `- ${resource}`)] : []),
  ].join("\n");
  checkMessageLength(message);
  return message;
}
