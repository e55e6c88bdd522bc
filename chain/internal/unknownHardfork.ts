/**
 * What to do about a fork whose node does not know by which rules its chain's blocks are executed.
 *
 * @param problem What the node answered.
 * @returns `undefined` where that is not the problem.
 */
export function explainUnknownHardfork(problem: string): string | undefined {
  if (!problem.includes("No known hardfork")) return undefined;
  return 'The node is a fork, and does not know the hardforks of the chain that it forks. Its network in hardhat.config.ts needs chainType: "op"; `baseSepoliaFork` of hardhat-identity/networks has it. For another chain than 84532, give chainDescriptors its hardforkHistory, too.';
}
