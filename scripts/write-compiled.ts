// Run after a change of contracts/lens/BoundedCalls.sol, of contracts/wallet/BatchExecutor.sol, of contracts/SignerRegistry.sol
// or of the compiler: `hardhat build && node scripts/write-compiled.ts`. Tests check the files.
import { readFileSync, writeFileSync } from "node:fs";

const read = (file: string) => JSON.parse(readFileSync(`artifacts/contracts/${file}.json`, "utf8"));

// chain/ contains the bytecode itself, so that it works without compiled contracts.
writeFileSync(
  "packages/protocol/chain/internal/boundedCallsCode.ts",
  `/** Runtime code of contracts/lens/BoundedCalls.sol; written by scripts/write-compiled.ts, checked by a test. */
export const boundedCallsCode =
  "${read("lens/BoundedCalls.sol/BoundedCalls").deployedBytecode}";
`,
);
// The wallet needs no other package for it.
writeFileSync(
  "packages/wallet/internal/executorCode.ts",
  `/** Runtime code of contracts/wallet/BatchExecutor.sol; written by scripts/write-compiled.ts, checked by a test. */
export const executorCode =
  "${read("wallet/BatchExecutor.sol/BatchExecutor").deployedBytecode}";
`,
);
// TypeScript infers the types of an ABI's functions only from source code, not from JSON.
writeFileSync(
  "tasks/internal/consumer/registryAbi.ts",
  `/** ABI of contracts/SignerRegistry.sol; written by scripts/write-compiled.ts, checked by a test. */
// biome-ignore format: it is not written by hand
export const registryAbi = ${JSON.stringify(read("SignerRegistry.sol/SignerRegistry").abi)} as const;
`,
);
