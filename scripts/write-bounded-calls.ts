// Run after a change of contracts/lens/BoundedCalls.sol or of the compiler:
// `hardhat build && node scripts/write-bounded-calls.ts`.
// chain/ contains the bytecode itself, so that it works without compiled contracts.
import { readFileSync, writeFileSync } from "node:fs";

const artifact = JSON.parse(
  readFileSync("artifacts/contracts/lens/BoundedCalls.sol/BoundedCalls.json", "utf8"),
);
writeFileSync(
  "chain/internal/boundedCallsCode.ts",
  `/** Runtime code of contracts/lens/BoundedCalls.sol; written by scripts/write-bounded-calls.ts, checked by a test. */
export const boundedCallsCode =
  "${artifact.deployedBytecode}";
`,
);
