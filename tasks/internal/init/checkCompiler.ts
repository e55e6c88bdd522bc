import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

/** The versions of the EVM without `mcopy`, by their names in the settings of solc. */
const before =
  /^(homestead|tangerine|spurious|byzantium|constantinople|petersburg|istanbul|berlin|london|paris|shanghai)/;

/**
 * Checks that the project can compile what the contract of a kind imports: newer releases of OpenZeppelin's ERC721 need
 * solc 0.8.24, and a version of the EVM with `mcopy`.
 *
 * @throws InvalidInputError that says what to set.
 */
export function checkCompiler(hre: HardhatRuntimeEnvironment, kind: string | undefined): void {
  if (kind !== "mint" || compilesOpenZeppelin(hre)) return;
  const shown = listCompilers(hre).map(({ version, settings }) =>
    [version, settings?.evmVersion].filter((part) => part !== undefined).join(" for "),
  );
  throw new InvalidInputError(
    `Nothing was written: --kind mint extends OpenZeppelin's ERC721, whose installed release needs solc 0.8.24 and evmVersion "cancun", or later; hardhat.config.ts has ${shown.join(", ")}. Set them under solidity, install @openzeppelin/contracts 5.1, or choose another --kind.`,
  );
}

/** Whether the project can compile all of OpenZeppelin's contracts. The registry, which Solidity tests deploy, needs that. */
export function compilesOpenZeppelin(hre: HardhatRuntimeEnvironment): boolean {
  if (!needsMcopy(hre.config.paths.root)) return true;
  const compilers = listCompilers(hre);
  const isEnough = ({ version, settings }: (typeof compilers)[number]) => {
    const patch = Number(/^0\.8\.(\d+)/.exec(version)?.[1] ?? 0);
    const evmVersion = settings?.evmVersion;
    // Without a setting, solc takes Cancun since 0.8.25.
    return evmVersion === undefined ? patch >= 25 : patch >= 24 && !before.test(String(evmVersion));
  };
  return compilers.some(isEnough);
}

const listCompilers = ({ config }: HardhatRuntimeEnvironment) =>
  config.solidity.profiles.default?.compilers ?? [];

/** Whether the installed ERC721 uses `mcopy`, through the library that it imports for texts. */
function needsMcopy(project: string): boolean {
  try {
    const require = createRequire(join(project, "package.json"));
    const strings = require.resolve("@openzeppelin/contracts/utils/Strings.sol");
    const bytes = require.resolve("@openzeppelin/contracts/utils/Bytes.sol");
    const imports = /Bytes\.sol/.test(readFileSync(strings, "utf8"));
    return imports && existsSync(bytes) && readFileSync(bytes, "utf8").includes("mcopy(");
  } catch {
    // Another message says that it is not installed.
    return false;
  }
}
