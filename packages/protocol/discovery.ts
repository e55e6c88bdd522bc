import type { CatalogueEntry } from "./catalogue.ts";
import type { Hex } from "./hex.ts";
import type { VerificationDomain } from "./verification.ts";

/** How a service describes itself (`GET /.well-known/onchain-verifications`). */
export interface Discovery {
  /** The URL that issues verifications. */
  readonly endpoint: string;
  /** The page where a user verifies an account. */
  readonly verifyUrl: string;
  /** The statement of every sign-in message. */
  readonly statement: string;
  /** For how many seconds a verification is valid. */
  readonly lifetime: number;
  /** For how many seconds a sign-in message is accepted. */
  readonly messageMaxAge: number;
  /** The hash of a test identity, 32 bytes hex: services of one registry must all have the same. */
  readonly testIdentity?: Hex;
  /** `nextSigner` takes over during a rotation, once the allowlist has it. */
  readonly chains: readonly {
    readonly chainId: number;
    readonly registry: string;
    readonly signer: string;
    readonly nextSigner?: string;
    readonly domain: VerificationDomain;
  }[];
  readonly providers: Readonly<
    Record<string, { readonly conditions: Readonly<Record<string, CatalogueEntry>> }>
  >;
}
