/** A kind of consumer, and its template. */
export interface Kind {
  /** Name of the template's contract, and the default name of the new one. */
  readonly contract: string;
  /** The entry point that takes a verification. */
  readonly entryPoint: string;
  /** The arguments before the verification, as a test writes them. */
  readonly argument?: string;
  /** Whether the entry point takes ether. */
  readonly payable?: true;
}

/** The kinds of consumers. Each has a template in `examples/init/contracts/`. */
export const kinds: Readonly<Record<string, Kind>> = {
  claim: { contract: "Airdrop", entryPoint: "claim" },
  mint: { contract: "Pass", entryPoint: "mint" },
  deposit: { contract: "Vault", entryPoint: "deposit", payable: true },
  vote: { contract: "Poll", entryPoint: "vote", argument: "0n, true" },
};
