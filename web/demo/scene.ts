/** Where a wallet's claim is: its line is grey, being drawn, at its ✓ or at its ✕. */
export type Scene = "untried" | "running" | "accepted" | "refused";
