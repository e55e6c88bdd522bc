/** What a consumer is for, and how its template is written. */
export interface Kind {
  /** The template's contract, and the new one's where no name is given. */
  readonly contract: string;
  /** The entry point that takes a verification. */
  readonly entryPoint: string;
  /** What it takes before the verification, as a test writes it. */
  readonly argument?: string;
  /** Whether it takes ether. */
  readonly payable?: true;
}

/** Each is a consumer in `examples/init/contracts/`. */
export const kinds: Readonly<Record<string, Kind>> = {
  claim: { contract: "Airdrop", entryPoint: "claim" },
  mint: { contract: "Pass", entryPoint: "mint" },
  deposit: { contract: "Vault", entryPoint: "deposit", payable: true },
  vote: { contract: "Poll", entryPoint: "vote", argument: "true" },
};
