import type { CatalogueEntry } from "./catalogue.ts";
import type { VerificationDomain } from "./verification.ts";

/** `GET /.well-known/onchain-verifications`: what a service says about itself, so that a client need not be configured. */
export interface Discovery {
  /** Where verifications are requested. */
  readonly endpoint: string;
  /** The page where a user proves an account. */
  readonly verifyUrl: string;
  /** The statement that a sign-in message must carry. */
  readonly statement: string;
  /** Seconds for which a verification is valid. */
  readonly lifetime: number;
  /** Seconds that a sign-in message may be old. */
  readonly messageMaxAge: number;
  /**
   * The chains it serves: on each, the registry that consumers use, the address that signs, and the one that takes its
   * place as soon as the registry's allowlist has it, where there is such a one.
   */
  readonly chains: readonly {
    readonly chainId: number;
    readonly registry: string;
    readonly signer: string;
    readonly nextSigner?: string;
    readonly domain: VerificationDomain;
  }[];
  /** Provider → its conditions → how each is written and compared. */
  readonly providers: Readonly<
    Record<string, { readonly conditions: Readonly<Record<string, CatalogueEntry>> }>
  >;
}
