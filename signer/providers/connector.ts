import type { ProviderName } from "../../protocol/catalogue.ts";

/** Where a value stands: the name of a call, then the keys that lead to it in the JSON that the call answers. */
export type Place = readonly [call: string, ...keys: string[]];

/**
 * How one provider is asked about an account: everything that sets it apart, and no code. Endpoints are https URLs;
 * one that is a path alone has no public address, and the operator must configure the provider's base URL.
 */
export interface Connector {
  readonly name: ProviderName;
  /** What the verify page calls it, unless the operator configures a label. */
  readonly label: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scopes: readonly string[];
  /** What stands between scopes, where it is not RFC 6749's space. */
  readonly scopeSeparator?: string;
  /** How the client proves itself at the token endpoint. */
  readonly clientAuthentication: "client_secret_basic" | "client_secret_post";
  /** The parameter that carries the client id, where it is not RFC 6749's `client_id`. */
  readonly clientIdParameter?: string;
  /** The token type, where the token endpoint leaves out what RFC 6749 requires. */
  readonly tokenType?: "bearer";
  /** What is read with the access token: GET requests, by name. All of them must succeed. */
  readonly calls: Readonly<Record<string, string>>;
  /** The account's stable id, a string or an integer of any size; never a handle, which another person may get. */
  readonly accountId: Place;
  /** Trait name → where it stands. A value that is missing or null is a missing trait. */
  readonly traits: Readonly<Record<string, Place>>;
}
