import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";

/** The versions of the EVM without `mcopy`, by their names in the settings of solc. */
const before =
  /^(homestead|tangerine|spurious|byzantium|constantinople|petersburg|istanbul|berlin|london|paris|shanghai)/;

const contractsPackage = "@hardhat-identity/contracts/package.json";

/**
 * Checks that the project can compile a new contract: the consumer base needs solc 0.8.20, and newer releases of
 * OpenZeppelin's ERC721 need 0.8.24, and a version of the EVM with `mcopy`.
 *
 * @param file The contract's path.
 * @throws InvalidInputError that says what to set.
 */
export function checkCompiler(
  hre: HardhatRuntimeEnvironment,
  { kind, file }: { readonly kind: string; readonly file: string },
): void {
  const compiler = compilerOf(hre, file);
  const { version, settings } = compiler;
  if (patchOf(version) < 20)
    throw new InvalidInputError(
      `Nothing was written: the contract needs solc 0.8.20 or later; hardhat.config.ts has ${version} for it. Add a newer compiler under solidity. For an older one, see "Without the base contracts" in docs/contracts.md.`,
    );
  const { root } = hre.config.paths;
  if (kind !== "mint" || hasMcopy(compiler) || !needsMcopy(join(root, "package.json"))) return;
  const shown = [version, settings?.evmVersion].filter((part) => part !== undefined).join(" for ");
  throw new InvalidInputError(
    `Nothing was written: --kind mint extends OpenZeppelin's ERC721, whose installed release needs solc 0.8.24 and evmVersion "cancun", or later; hardhat.config.ts has ${shown} for it. Set them under solidity, install @openzeppelin/contracts 5.1, or choose another --kind.`,
  );
}

/**
 * Whether the project can compile a test in Solidity. It deploys the registry, which needs all of the OpenZeppelin that is
 * installed for `@hardhat-identity/contracts`.
 */
export function compilesRegistry(hre: HardhatRuntimeEnvironment, file: string): boolean {
  const require = createRequire(join(hre.config.paths.root, "package.json"));
  try {
    return hasMcopy(compilerOf(hre, file)) || !needsMcopy(require.resolve(contractsPackage));
  } catch {
    // Another message says that it is not installed.
    return true;
  }
}

interface Compiler {
  readonly version: string;
  readonly settings?: { readonly evmVersion?: unknown };
}

/** Finds the compiler that Hardhat takes for a file: the one that the project names for it, or else the newest. */
function compilerOf({ config }: HardhatRuntimeEnvironment, file: string): Compiler {
  const { compilers = [], overrides = {} } = config.solidity.profiles.default ?? {};
  const own = overrides[relative(config.paths.root, file).replaceAll(sep, "/")];
  const [newest] = compilers.toSorted((a, b) => patchOf(b.version) - patchOf(a.version));
  return own ?? newest ?? { version: "none" };
}

const patchOf = (version: string) => Number(/^0\.8\.(\d+)/.exec(version)?.[1] ?? 0);

/** Without a setting, solc takes Cancun since 0.8.25. */
function hasMcopy({ version, settings }: Compiler): boolean {
  const evmVersion = settings?.evmVersion;
  return evmVersion === undefined
    ? patchOf(version) >= 25
    : patchOf(version) >= 24 && !before.test(`${evmVersion}`);
}

/** Whether the OpenZeppelin that a package finds uses `mcopy` in ERC721, through the library that it imports for texts. */
function needsMcopy(manifest: string): boolean {
  try {
    const require = createRequire(manifest);
    const strings = require.resolve("@openzeppelin/contracts/utils/Strings.sol");
    const bytes = require.resolve("@openzeppelin/contracts/utils/Bytes.sol");
    const imports = /Bytes\.sol/.test(readFileSync(strings, "utf8"));
    return imports && existsSync(bytes) && readFileSync(bytes, "utf8").includes("mcopy(");
  } catch {
    // Another message says that it is not installed.
    return false;
  }
}
