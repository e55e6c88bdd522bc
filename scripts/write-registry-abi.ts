// Run after a change of contracts/SignerRegistry.sol: `hardhat build && node scripts/write-registry-abi.ts`.
// TypeScript infers the types of an ABI's functions only from source code, not from JSON.
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
