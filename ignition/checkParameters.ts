import { parseAddress } from "@hardhat-identity/protocol/address";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { describeWellKnown, isWellKnownAddress } from "@hardhat-identity/protocol/development";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import {
  type DeploymentParameters,
  type IgnitionModule,
  isModuleParameterRuntimeValue,
} from "@nomicfoundation/ignition-core";
import { kindsOf } from "./checkedModule.ts";

/** Questions to the node of the deployment. Each is asked only if a parameter requires it. */
export interface DeploymentNode {
  isLocal(): Promise<boolean>;
  /** The account that deploys, with its checksum; `undefined` if the network has none. */
  readDeployer(): Promise<string | undefined>;
  /** Explains in one sentence why there is no registry at an address; `undefined` if there is one. */
  findRegistryProblem(address: string): Promise<string | undefined>;
}

const zeroAddress = `0x${"0".repeat(40)}`;

/**
 * Checks the parameters of this package's modules before anything is sent. Ignition itself would fail on a wrong value
 * only during the deployment. Ignition also reports missing parameters, but only by their names: a missing registry, of
 * any module, is reported here, with the way to give it.
 *
 * @param module The module to deploy. The modules that it uses are checked, too.
 * @param parameters Ignition's parameters: module id → name → value, with `$global` for all modules.
 * @param node The node of the deployment.
 * @throws InvalidInputError that names the parameter, the value and the expected type.
 */
export async function checkParameters(
  module: IgnitionModule,
  parameters: DeploymentParameters,
  node: DeploymentNode,
): Promise<void> {
  const modules = collectModules(module);
  for (const used of new Set(modules)) {
    const { id } = used;
    for (const [name, kind] of Object.entries(kindsOf(used))) {
      const value = parameters[id]?.[name] ?? parameters.$global?.[name];
      if (value === undefined) continue;
      const label = `${id}.${name}`;
      const addresses = kind === "trusted list" ? parseList(label, value) : [parse(label, value)];
      if (kind === "registry") await requireRegistries(label, addresses, node);
      if (kind === "trusted" || kind === "trusted list" || kind === "guarded owner") {
        await refuseDevelopmentAddresses(label, addresses, node);
      }
      if (kind === "guarded owner") await refuseDeployer(label, addresses, node);
    }
  }
  requireRegistryParameter(modules, parameters);
}

function collectModules(module: IgnitionModule): IgnitionModule[] {
  return [module, ...[...module.submodules].flatMap(collectModules)];
}

/** Requires the parameter `registry` wherever a constructor takes it. */
function requireRegistryParameter(
  modules: readonly IgnitionModule[],
  parameters: DeploymentParameters,
): void {
  const missing = modules
    .flatMap(({ futures }) => [...futures])
    .flatMap((future) => ("constructorArgs" in future ? future.constructorArgs : []))
    .filter((argument) => isModuleParameterRuntimeValue(argument))
    .find(
      ({ moduleId, name, defaultValue }) =>
        name === "registry" &&
        (parameters[moduleId]?.registry ?? parameters.$global?.registry ?? defaultValue) === undefined,
    );
  if (missing === undefined) return;
  const { moduleId } = missing;
  throw new InvalidInputError(
    `${moduleId}.registry is missing: the address of the registry. Add it: --parameters ` +
      `'{"${moduleId}":{"registry":"0x…"}}'.`,
  );
}

function parse(label: string, value: unknown): string {
  if (typeof value !== "string") {
    throw new InvalidInputError(
      `${label} must be an address (0x and 40 hex digits), got ${describeValue(value)}.`,
    );
  }
  const address = parseAddress(label, value);
  if (address === zeroAddress) throw new InvalidInputError(`${label} must not be the zero address.`);
  return address;
}

function parseList(label: string, value: unknown): string[] {
  if (!Array.isArray(value)) {
    throw new InvalidInputError(`${label} must be an array of addresses, got ${describeValue(value)}.`);
  }
  const addresses = value.map((item, i) => parse(`${label}[${i}]`, item));
  const twice = addresses.find((address, i) => addresses.indexOf(address) !== i);
  if (twice !== undefined) throw new InvalidInputError(`${label} names ${twice} twice.`);
  return addresses;
}

/** Requires registries. A consumer's constructor does the same, but other contracts may be deployed by then. */
async function requireRegistries(
  label: string,
  addresses: readonly string[],
  node: DeploymentNode,
): Promise<void> {
  for (const address of addresses) {
    const problem = await node.findRegistryProblem(address);
    if (problem !== undefined) throw new InvalidInputError(`${label} must be a registry. ${problem}`);
  }
}

async function refuseDevelopmentAddresses(
  label: string,
  addresses: readonly string[],
  node: DeploymentNode,
): Promise<void> {
  const shared = addresses.find(isWellKnownAddress);
  if (shared === undefined || (await node.isLocal())) return;
  throw new InvalidInputError(describeWellKnown(`${label} is ${shared},`));
}

async function refuseDeployer(
  label: string,
  addresses: readonly string[],
  node: DeploymentNode,
): Promise<void> {
  const deployer = await node.readDeployer();
  if (deployer === undefined || !addresses.includes(deployer)) return;
  throw new InvalidInputError(
    `${label} is ${deployer}, the account that deploys: it gives up its role at the end, and then nobody could add a signer. Name another account, or deploy from another one.`,
  );
}
