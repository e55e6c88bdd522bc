import type { ProviderName } from "../../protocol/catalogue.ts";

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
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scopes: readonly string[];
  /** The separator of scopes, if it is not RFC 6749's space. */
  readonly scopeSeparator?: string;
  /** How the client authenticates at the token endpoint. */
  readonly clientAuthentication: "client_secret_basic" | "client_secret_post";
  /** The parameter that carries the client id, if it is not RFC 6749's `client_id`. */
  readonly clientIdParameter?: string;
  /** The token type, if the token endpoint omits it although RFC 6749 requires it. */
  readonly tokenType?: "bearer";
  /** The calls with the access token: GET requests, by name. All of them must succeed. */
  readonly calls: Readonly<Record<string, string>>;
  /** The account's stable id, a string or an integer of any size. Never a handle, which may pass to another person. */
  readonly accountId: Place;
  /** Trait name → the place of its value. A missing or null value is a missing trait. */
  readonly traits: Readonly<Record<string, Place>>;
}
