// After a change of contracts/SignerRegistry.sol: `hardhat build && node scripts/write-registry-abi.ts`.
// TypeScript sees what an ABI's functions are only where it stands in the source.
import { readFileSync, writeFileSync } from "node:fs";

const { abi } = JSON.parse(
  readFileSync("artifacts/contracts/SignerRegistry.sol/SignerRegistry.json", "utf8"),
);
writeFileSync(
  "tasks/internal/testing/registryAbi.ts",
  `/** ABI of contracts/SignerRegistry.sol; written by scripts/write-registry-abi.ts, checked by a test. */
// biome-ignore format: it is not written by hand
export const registryAbi = ${JSON.stringify(abi)} as const;
`,
);
