// After a change of contracts/lens/BoundedCalls.sol or of the compiler: `hardhat build && node scripts/write-bounded-calls.ts`.
// The signer carries the code itself, so that it runs where no contract was compiled.
import { readFileSync, writeFileSync } from "node:fs";

const artifact = JSON.parse(
  readFileSync("artifacts/contracts/lens/BoundedCalls.sol/BoundedCalls.json", "utf8"),
);
writeFileSync(
  "signer/chain/boundedCallsCode.ts",
  `/** Runtime code of contracts/lens/BoundedCalls.sol; written by scripts/write-bounded-calls.ts, checked by a test. */
export const boundedCallsCode =
  "${artifact.deployedBytecode}";
`,
);
