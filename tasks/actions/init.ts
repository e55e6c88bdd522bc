import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { reporting } from "../internal/console/report.ts";
import { addConsumer } from "../internal/init/addConsumer.ts";
import { checkCompiler, compilesRegistry } from "../internal/init/checkCompiler.ts";
import { findRepository, isInstalled } from "../internal/init/packageManager.ts";
import { attackPackage, kinds } from "../internal/init/templates.ts";
import { findTestFolder, findToolbox } from "../internal/init/toolbox.ts";

export default reporting<"init">(async (args, hre) => {
  const { root, sources, tests, ignition } = hre.config.paths;
  const toolbox = findToolbox(hre);
  const { kind = "claim" } = args;
  const usual = Object.hasOwn(kinds, kind) ? kinds[kind]?.contract : undefined;
  const name = args.name ?? usual;
  const [contracts = join(root, "contracts")] = sources.solidity;
  if (usual !== undefined) checkCompiler(hre, { kind, file: join(contracts, `${name}.sol`) });
  const added = addConsumer({
    kind,
    name: args.name,
    pace: args.pace,
    toolbox,
    folders: {
      root,
      sources: sources.solidity,
      tests: findTestFolder(hre, toolbox),
      solidityTests: compilesRegistry(hre, join(tests.solidity, `${name}.t.sol`))
        ? tests.solidity
        : undefined,
      ignition,
    },
    ...(args.install && { install: (command) => runInstall(command, root, args.json) }),
  });
  const repository = findRepository(root);
  const { add, execute } = repository.packageManager;
  const { contract, written, unchanged } = added;
  const lines = [
    ...written.map((path) => `Wrote ${path}`),
    ...unchanged.map((path) => `${path} already exists`),
    ...(written.length === 0 ? ["", "Nothing was written. For another contract, add --name."] : []),
    "",
    "Next:",
    `  ${execute} hardhat test`,
    `  ${execute} hardhat identity policy`,
    ...withPackage(attackPackage, `${execute} hardhat identity attack ${contract}`),
    ...withPackage("@hardhat-identity/dev", `${execute} hardhat identity dev --deploy ${contract}`),
  ];
  /** The command, after the one that installs its package where that is missing. */
  function withPackage(name: string, command: string): string[] {
    const install = isInstalled(name, root, repository.top) ? [] : [[...add, name].join(" ")];
    return install.concat(command).map((line) => `  ${line}`);
  }
  return { json: added, text: lines.join("\n") };
});

/** @param isQuiet Whether to send the command's output to standard error. */
function runInstall(words: readonly string[], cwd: string, isQuiet: boolean): void {
  // One line for a shell, because Windows runs package managers only through one. No word needs quotes.
  const command = words.join(" ");
  const { status } = spawnSync(command, { cwd, shell: true, stdio: ["ignore", isQuiet ? 2 : 1, 2] });
  if (status !== 0) {
    throw new InvalidInputError(`Nothing was written, because this failed: ${command}`);
  }
}
