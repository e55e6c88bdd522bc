/**
 * Explains what to do about a forked node that does not know the hardforks of its chain.
 *
 * @param problem The node's answer.
 * @returns `undefined` for any other problem.
 */
export function explainUnknownHardfork(problem: string): string | undefined {
  if (!problem.includes("No known hardfork")) return undefined;
  return 'The node is a fork, and does not know the hardforks of the chain that it forks. Its network in hardhat.config.ts needs chainType: "op"; `baseFork` and `baseSepoliaFork` of hardhat-identity/networks have it. For another chain than 8453 and 84532, give chainDescriptors its hardforkHistory, too.';
}
