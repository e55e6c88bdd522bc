import type { CatalogueEntry } from "./catalogue.ts";
import type { VerificationDomain } from "./verification.ts";

/** `GET /.well-known/onchain-verifications`: how a service describes itself, so that a client needs no configuration. */
export interface Discovery {
  /** The URL for requests for verifications. */
  readonly endpoint: string;
  /** The page where a user proves an account. */
  readonly verifyUrl: string;
  /** The statement that a sign-in message must carry. */
  readonly statement: string;
  /** Seconds for which a verification is valid. */
  readonly lifetime: number;
  /** The maximum age of a sign-in message, in seconds. */
  readonly messageMaxAge: number;
  /**
   * The chains that it serves, with registry and signer; during a rotation also the next signer, which takes over once
   * the allowlist has it.
   */
  readonly chains: readonly {
    readonly chainId: number;
    readonly registry: string;
    readonly signer: string;
    readonly nextSigner?: string;
    readonly domain: VerificationDomain;
  }[];
  /** Each provider's conditions, with type and operators. */
  readonly providers: Readonly<
    Record<string, { readonly conditions: Readonly<Record<string, CatalogueEntry>> }>
  >;
}
