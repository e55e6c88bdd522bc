import type { RunningStack } from "hardhat-identity/internal/stack/running";

/** A consumer to try, and its entry point that takes a verification alone. */
export interface Suggested {
  readonly name: string;
  readonly entryPoint: string;
  readonly isOwn: boolean;
}

/** Chooses the project's own consumer, if a verification is all that it takes, or else an example of the stack. */
export function chooseConsumer({ own = [], consumers }: Pick<RunningStack, "own" | "consumers">): Suggested {
  for (const { name, abi } of own) {
    const entryPoint = abi.find(
      ({ type, inputs = [] }) =>
        type === "function" && inputs.map((input) => input.type).join() === verification,
    )?.name;
    if (entryPoint !== undefined) return { name, entryPoint, isOwn: true };
  }
  // A module of the project's, also one that does not compile, takes the name of an example.
  return "Airdrop" in consumers
    ? { name: "Airdrop", entryPoint: "claim", isOwn: false }
    : { name: "IncentiveProgram", entryPoint: "enroll", isOwn: false };
}

const verification = "bytes32,uint40,bytes";

/**
 * Composes commands that demonstrate the stack: they store a credential for two wallets of one person, let the first
 * wallet in, and see the second one refused.
 *
 * @param execute Command of the project's package manager that runs a program, such as `npx`.
 */
export function suggestCommands(
  stack: Pick<RunningStack, "port">,
  { name, entryPoint }: Suggested,
  execute: string,
): string[] {
  const port = stack.port === 3000 ? "" : ` --port ${stack.port}`;
  const request = `${execute} hardhat identity request --consumer ${name}`;
  return [
    `${execute} hardhat identity credential set --wallet 1,2 --provider microblog --account-id 1001 --traits '{"followers":1200}'${port}`,
    `${request} --account 1 --submit ${entryPoint}${port}`,
    `${request} --account 2 --submit ${entryPoint}${port}`,
  ];
}
