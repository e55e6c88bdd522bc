import type { Finding } from "./finding.ts";

/** What a watch says while it runs. */
export type WatchEvent =
  | {
      readonly event: "watching";
      readonly registry: string;
      readonly from: number;
      readonly guardian?: string;
    }
  | { readonly event: "forged" | "stranger" | "undone"; readonly finding: Finding }
  | { readonly event: "cannot-judge" | "cannot-brake"; readonly problem: string }
  | { readonly event: "judges-again"; readonly block: number }
  | {
      readonly event: "brake-sent";
      readonly signers: readonly string[];
      readonly transactions: readonly string[];
    }
  | { readonly event: "removed"; readonly signer: string };
