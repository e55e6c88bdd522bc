import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import { buildSignInMessage as writeMessage } from "@hardhat-identity/protocol/signIn/build";
import { maxMessageBytes } from "@hardhat-identity/protocol/signIn/limit";
import { parseUrl } from "@hardhat-identity/protocol/url";
import { IdentityError } from "../identityError.ts";
import { checkAddress, checkChainId, invalidArgument } from "../internal/arguments.ts";

/** The fields of a sign-in message. */
export interface SignInOptions {
  /** The wallet that signs. */
  readonly address: string;
  /** The consumer contract. */
  readonly consumer: string;
  /** The chain of the consumer. */
  readonly chainId: number;
  /** Your app's host (and port), such as `app.example`; in a browser, the page's by default. */
  readonly domain?: string | undefined;
  /** In a browser, the page's origin by default. */
  readonly uri?: string | undefined;
  /** At least 8 letters and digits; random by default. */
  readonly nonce?: string | undefined;
  /** Now by default. The service accepts a message for ten minutes. */
  readonly issuedAt?: Date | undefined;
  readonly expirationTime?: Date | undefined;
  readonly notBefore?: Date | undefined;
}

// RFC 3339 has four digits for the year.
const endOfTime = Date.UTC(10_000, 0);

// RFC 3986, sections 2 and 3: unreserved, sub-delims and pct-encoded; an authority; a URI that has one. The service's
// grammar (packages/protocol/signIn/rfc3986.ts) names each flaw, and would be a sixteenth of the client. A test holds
// that it accepts everything that these accept.
const plain = "[\\w.~!$&'()*+,;=-]|%[0-9a-f]{2}";
const authority = `(?:(?:${plain}|:)*@)?(?:\\[[0-9a-f:.]+\\]|(?:${plain})+)(?::\\d*)?`;
const path = `(?:/(?:${plain}|[:@/])*)?`;
const query = `(?:${plain}|[:@/?])*`;
const domainSyntax = new RegExp(`^${authority}$`, "i");
const uriSyntax = new RegExp(`^[a-z][a-z0-9+.-]*://${authority}${path}(?:\\?${query})?(?:#${query})?$`, "i");

/**
 * Builds the EIP-4361 message that a wallet signs to get a verification for one consumer.
 *
 * @throws IdentityError `client_invalid_argument`.
 * @example
 * ```ts
 * import { buildSignInMessage } from "@hardhat-identity/client";
 *
 * const message = buildSignInMessage({
 *   address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   consumer: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   chainId: 84532,
 *   domain: "app.example",
 *   uri: "https://app.example/claim",
 * });
 * console.log(message.split("\n")[0]); // app.example wants you to sign in with your Ethereum account:
 * ```
 */
export function buildSignInMessage(options: SignInOptions): string {
  const page = membersOf(Reflect.get(globalThis, "location"));
  const { chainId, issuedAt = new Date(), expirationTime, notBefore } = options;
  const domain = options.domain ?? page.host;
  const uri = options.uri ?? page.origin;
  const nonce = options.nonce ?? randomNonce();
  checkChainId(chainId);
  if (typeof domain !== "string" || !domainSyntax.test(domain) || !parseUrl(`http://${domain}`)) {
    throw invalidArgument("domain", "a host such as app.example", domain);
  }
  if (typeof uri !== "string" || !uriSyntax.test(uri) || !parseUrl(uri)) {
    throw invalidArgument("uri", "a URI such as https://app.example/claim", uri);
  }
  if (!/^[a-z0-9]{8,}$/i.test(nonce)) throw invalidArgument("nonce", "8 or more letters and digits", nonce);
  for (const [argument, time] of Object.entries({ issuedAt, expirationTime, notBefore })) {
    if (time !== undefined && !(time instanceof Date && time.getTime() >= 0 && time.getTime() < endOfTime)) {
      throw invalidArgument(argument, "a Date from 1970 to 9999", time);
    }
  }
  const fields = {
    domain,
    address: checkAddress("address", options.address),
    uri,
    chainId,
    consumer: checkAddress("consumer", options.consumer),
    nonce,
    issuedAt,
    ...(expirationTime && { expirationTime }),
    ...(notBefore && { notBefore }),
  };
  try {
    return writeMessage(fields);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    // Nothing else can be that long.
    const [argument, longest] = Object.entries({ domain, uri, nonce }).reduce((a, b) =>
      b[1].length > a[1].length ? b : a,
    );
    throw invalidArgument(argument, `short enough for a message of ${maxMessageBytes} bytes`, longest);
  }
}

function randomNonce(): string {
  const { crypto } = globalThis;
  if (typeof crypto?.getRandomValues === "function")
    return bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
  throw new IdentityError(
    "client_invalid_argument",
    "This platform has no crypto.getRandomValues: pass a nonce, or load react-native-get-random-values.",
    { argument: "nonce" },
  );
}
