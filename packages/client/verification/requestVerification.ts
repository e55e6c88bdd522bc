import { isHex } from "@hardhat-identity/protocol/hex";
import { findAddressProblem } from "@hardhat-identity/protocol/returnAddress";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { IdentityError } from "../identityError.ts";
import { invalidArgument } from "../internal/arguments.ts";
import { askService, type ServiceOptions } from "../internal/askService.ts";

/** A request for a verification. */
export interface RequestVerificationOptions extends ServiceOptions {
  /** As it was signed. */
  readonly message: string;
  /** The wallet's, hex. */
  readonly signature: string;
  /**
   * The https URL to return to from the verify page; in a browser, the current page by default, without its fragment
   * unless it is a route such as `#/claim`.
   */
  readonly redirectUri?: string | undefined;
}

/**
 * Exchanges a signed message for a verification. Only the wallet that signed can use it, at the consumer that the
 * message names. Only the registry can tell whether it is valid.
 *
 * @throws IdentityError `client_invalid_argument`, `client_network_error`, `client_invalid_response`,
 * `client_wrong_clock`, the service's codes, or the signal's reason.
 * @example
 * ```ts
 * import { buildSignInMessage, requestVerification, signMessage } from "@hardhat-identity/client";
 *
 * const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
 * const message = buildSignInMessage({
 *   address,
 *   consumer: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   chainId: 84532,
 *   domain: "app.example",
 *   uri: "https://app.example/claim",
 * });
 * const verification = await requestVerification({
 *   baseUrl: "https://identity.example",
 *   message,
 *   signature: await signMessage(window.ethereum, { address, message }),
 *   signal: AbortSignal.timeout(60_000),
 * });
 * console.log(Object.keys(verification)); // identityHash,expiration,signature
 * ```
 */
export async function requestVerification(options: RequestVerificationOptions): Promise<SignedVerification> {
  const { message, signature } = options;
  if (typeof message !== "string") throw invalidArgument("message", "a text");
  if (!isHex(signature)) throw invalidArgument("signature", "bytes as hex after 0x");
  const redirectUri = readRedirectUri(options.redirectUri);
  let answer: unknown;
  try {
    answer = await askService("/v1/onchain_verifications", options, { message, signature });
  } catch (error) {
    throw error instanceof IdentityError ? addRedirectUri(error, redirectUri) : error;
  }
  const { identityHash, expiration, signature: verified } = Object(answer);
  const fits = Number.isSafeInteger(expiration) && expiration >= 0 && expiration < 2 ** 40;
  if (!isHex(identityHash, 32) || !fits || !isHex(verified)) {
    throw new IdentityError("client_invalid_response", "The service's answer is not a verification.", {
      status: 200,
    });
  }
  return { identityHash, expiration, signature: verified };
}

function readRedirectUri(given: string | undefined): string | undefined {
  const uri: unknown = given ?? readPage();
  const problem = typeof uri === "string" ? findAddressProblem(uri) : "is missing";
  if (problem === undefined) return String(uri);
  if (given === undefined) return undefined;
  throw invalidArgument(
    "redirectUri",
    `an https URL that the verify page can return to; it ${problem}`,
    given,
  );
}

/** Returns the address of the page; `undefined` in a worker, whose location is its script. */
function readPage(): unknown {
  if ("WorkerGlobalScope" in globalThis) return undefined;
  const { href = "" } = Object(Reflect.get(globalThis, "location"));
  // A fragment never leaves the browser, because apps and providers put secrets there, unless it is a route of words and
  // numbers.
  return String(href).replace(/#(?!!?(?:\/(?:[a-z_-]{1,24}|\d{1,9}))+\/?$).*/i, "");
}

function addRedirectUri(error: IdentityError, redirectUri: string | undefined): IdentityError {
  if (error.verifyUrl === undefined || redirectUri === undefined) return error;
  // React Native's URL objects do not change a query.
  const verifyUrl = error.verifyUrl
    .replace(/([?&])redirect_uri=[^&#]*/g, "$1")
    .replace(/\?|(?=#|$)/, `?redirect_uri=${encodeURIComponent(redirectUri)}&`);
  return new IdentityError(error.code, error.message, { ...error, verifyUrl });
}
