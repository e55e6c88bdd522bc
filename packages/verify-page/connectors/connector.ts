import type { ProviderName } from "@hardhat-identity/protocol/catalogue";
import type { FailureReason } from "../messages.ts";

/** The place of a value in a JSON answer: the keys that lead to it. A list's keys are "0", "1", and so on. */
export type Keys = readonly [key: string, ...keys: string[]];

/** The place of a value: the name of a call, then the keys that lead to the value in the call's JSON answer. */
export type Place = readonly [call: string, ...keys: string[]];

/**
 * The description of one provider: all its differences from others, as data. Endpoints are https URLs. An endpoint that
 * is only a path has no public address, and the operator must configure the provider's base URL.
 */
export interface Connector {
  readonly name: ProviderName;
  /** The provider's name on the verify page, unless the operator configures a label. */
  readonly label: string;
  /**
   * The provider's own name of itself, `iss` in the callback (RFC 9207). Without one, nothing is compared, nor behind a
   * base URL, where another server answers. Each provider has a callback path of its own (RFC 9700, section 4.4.2.2).
   */
  readonly issuer?: string | undefined;
  readonly authorizationEndpoint: string;
  /** Further parameters of the authorization request, such as one that makes the provider ask for the account. */
  readonly authorizationParameters?: Readonly<Record<string, string>> | undefined;
  readonly tokenEndpoint: string;
  /** Where the access token is revoked after reading (RFC 7009), if the provider can do that. */
  readonly revocationEndpoint?: string | undefined;
  readonly scopes: readonly string[];
  /** The separator of scopes in the request, if it is not RFC 6749's space. In an answer, spaces and commas separate. */
  readonly scopeSeparator?: string | undefined;
  /** The member of the token endpoint's answer that lists the granted scopes, if it is not RFC 6749's `scope`. */
  readonly grantedScopes?: string | undefined;
  /** The form of the SHA-256 in PKCE's challenge, if it is not RFC 7636's base64url; `none` for no PKCE. */
  readonly codeChallenge?: "base64url" | "hex" | "none" | undefined;
  /** How the client authenticates at the token endpoint. */
  readonly clientAuthentication: "client_secret_basic" | "client_secret_post";
  /** A parameter for the client id in all requests, beside what RFC 6749 requires. */
  readonly clientIdParameter?: string | undefined;
  /** The calls with the access token: GET requests, by name. All of them must succeed. */
  readonly calls: Readonly<Record<string, string>>;
  /** Where an answer of the provider has an object at these keys, that is read instead of the whole. */
  readonly envelope?: Keys | undefined;
  /** The account's stable id, a string or an integer of any size. Never a handle, which may pass to another person. */
  readonly accountId: Place;
  /** The account's public name. The verify page shows it for confirmation; it is neither stored nor logged. */
  readonly accountName?: Place | undefined;
  /** Trait name → the place of its value. A missing or null value is a missing trait; a missing object is a failure. */
  readonly traits: Readonly<Record<string, Place>>;
  /** How the provider says what went wrong, if otherwise than RFC 6749. */
  readonly errors?: ProviderErrors | undefined;
}

export interface ProviderErrors {
  /** The places of a code in an answer, the most telling first. Of a URL, the last part is the code. */
  readonly codes?: readonly Keys[] | undefined;
  /** The place of a second code, which says more. The log and `reasons` have it behind the first: `190/460`. */
  readonly subcode?: Keys | undefined;
  /** The code that means success. */
  readonly success?: string | undefined;
  /**
   * The reason for each error code, with or without its subcode. Other codes are judged by RFC 6749 and by the HTTP
   * status.
   */
  readonly reasons?: Readonly<Record<string, FailureReason>> | undefined;
}

/** The connectors of all providers, by name. */
export type Connectors = Readonly<Record<ProviderName, Connector>>;

/** Fields of connectors to use instead of the built-in ones, by the provider's name. `undefined` removes a field. */
export type ConnectorCorrections = Readonly<
  Partial<Record<ProviderName, Readonly<Partial<Omit<Connector, "name">>>>>
>;
