import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { InterfaceAbi } from "ethers";
import hre from "hardhat";

/** The parts needed to deploy a contract. */
export interface Compiled {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

const require = createRequire(import.meta.url);

/** The contracts of Semaphore's package that are deployed themselves. */
const published = [
  "@semaphore-protocol/contracts/Semaphore.sol",
  "@semaphore-protocol/contracts/base/SemaphoreVerifier.sol",
];

/**
 * Compiles the contracts that ours are compared with, with the compiler and the settings of our own contracts, but
 * apart from their build. Returns all deployable contracts by name.
 */
export function compileRivals(): Map<string, Compiled> {
  const root = new URL("../../", import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, root), "utf8");
  const own = globSync("bench/contracts/*.sol", { cwd: root });
  const sources = Object.fromEntries([
    ...own.map((path) => [path, { content: read(path) }]),
    ...published.map((path) => [path, { content: read(`node_modules/${path}`) }]),
  ]);
  const settings = {
    ...hre.config.solidity.profiles.default?.compilers[0]?.settings,
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
  };
  const solc: { compile(input: string, callbacks: { import(path: string): { contents: string } }): string } =
    require("solc");
  const { contracts, errors } = JSON.parse(
    solc.compile(JSON.stringify({ language: "Solidity", sources, settings }), {
      import: (path) => ({ contents: read(`node_modules/${path}`) }),
    }),
  );
  const broken = errors.filter(({ severity }: { severity: string }) => severity === "error");
  if (broken.length > 0)
    throw new Error(broken.map((e: { formattedMessage: string }) => e.formattedMessage).join(""));
  const compiled = new Map<string, Compiled>();
  for (const file of Object.values<
    Record<string, { abi: InterfaceAbi; evm: { bytecode: { object: string } } }>
  >(contracts)) {
    for (const [name, { abi, evm }] of Object.entries(file)) {
      if (evm.bytecode.object !== "") compiled.set(name, { abi, bytecode: evm.bytecode.object });
    }
  }
  // Published in compiled form, because they need another version of the compiler.
  for (const name of ["EAS", "SchemaRegistry"]) {
    compiled.set(
      name,
      require(`@ethereum-attestation-service/eas-contracts/artifacts/contracts/${name}.sol/${name}.json`),
    );
  }
  return compiled;
}
