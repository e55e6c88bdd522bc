import type { RunningStack } from "./running.ts";

/**
 * Composes commands that demonstrate the stack: they store a credential for two wallets of one person, claim with the first
 * wallet, and see the second one refused.
 *
 * @param execute Command of the project's package manager that runs a program, such as `npx`.
 */
export function suggestCommands(
  stack: RunningStack & { accounts: readonly string[] },
  execute: string,
): string[] {
  const wallets = stack.accounts.slice(1, 3).join(",");
  const port = stack.port === 3000 ? "" : ` --port ${stack.port}`;
  const request = `${execute} hardhat identity request --consumer Airdrop`;
  return [
    `${execute} hardhat identity credential set --wallet ${wallets} --provider microblog --account-id 1001 --traits '{"followers":1200}'${port}`,
    `${request} --account 1 --submit claim${port}`,
    `${request} --account 2 --submit claim${port}`,
  ];
}
