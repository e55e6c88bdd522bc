import type { DeploymentParameters, IgnitionModule } from "@nomicfoundation/ignition-core";
import { parseAddress } from "../protocol/address.ts";
import { isWellKnownAddress } from "../protocol/development.ts";
import { InvalidInputError } from "../protocol/errors.ts";

/** What a parameter is: the address of a registry, of another contract, or of somebody who is trusted. */
type Kind = "registry" | "contract" | "trusted" | "trusted list";

/** Module → parameter → what it is, of this package's modules. */
const known: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  SignerRegistry: { owner: "trusted", signers: "trusted list" },
  IncentiveProgram: { registry: "registry" },
  MembershipPass: { registry: "registry" },
  VerifiedVault: { registry: "registry", token: "contract" },
  Ballot: { registry: "registry" },
};

/** What has to be asked of the node that is deployed to, and is asked only when a parameter makes it matter. */
export interface DeploymentNode {
  isLocal(): Promise<boolean>;
  /** Says in one sentence why what stands at an address is no registry; `undefined` when it is one. */
  findRegistryProblem(address: string): Promise<string | undefined>;
}

const zeroAddress = `0x${"0".repeat(40)}`;

/**
 * Checks the parameters of this package's modules before anything is sent: Ignition itself would find a wrong one
 * only on the way. A parameter that is missing is left to Ignition, which reports it first of all.
 *
 * @param module The module to deploy; those that it uses are checked, too.
 * @param parameters As Ignition takes them: module id → name → value, `$global` for all modules.
 * @param node The one that is deployed to.
 * @throws InvalidInputError naming the parameter, what it got and what it wants.
 */
export async function checkParameters(
  module: IgnitionModule,
  parameters: DeploymentParameters,
  node: DeploymentNode,
): Promise<void> {
  for (const id of collectIds(module)) {
    for (const [name, kind] of Object.entries(known[id] ?? {})) {
      const value = parameters[id]?.[name] ?? parameters.$global?.[name];
      if (value === undefined) continue;
      const label = `${id}.${name}`;
      const addresses = kind === "trusted list" ? parseList(label, value) : [parse(label, value)];
      if (kind === "registry") await demandRegistries(label, addresses, node);
      if (kind === "trusted" || kind === "trusted list") {
        await refuseDevelopmentAddresses(label, addresses, node);
      }
    }
  }
}

function collectIds(module: IgnitionModule): Set<string> {
  return new Set([module.id, ...[...module.submodules].flatMap((used) => [...collectIds(used)])]);
}

function parse(label: string, value: unknown): string {
  if (typeof value !== "string") {
    throw new InvalidInputError(
      `${label} must be an address (0x and 40 hex digits), got ${describe(value)}.`,
    );
  }
  const address = parseAddress(label, value);
  if (address === zeroAddress) throw new InvalidInputError(`${label} must not be the zero address.`);
  return address;
}

function parseList(label: string, value: unknown): string[] {
  if (!Array.isArray(value)) {
    throw new InvalidInputError(`${label} must be an array of addresses, got ${describe(value)}.`);
  }
  const addresses = value.map((item, i) => parse(`${label}[${i}]`, item));
  const twice = addresses.find((address, i) => addresses.indexOf(address) !== i);
  if (twice !== undefined) throw new InvalidInputError(`${label} names ${twice} twice.`);
  return addresses;
}

/** A consumer's constructor refuses another contract, too, but maybe after others have been deployed. */
async function demandRegistries(
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
  throw new InvalidInputError(
    `${label} is ${shared}, a development address: everybody knows its key, and this chain is not a local node.`,
  );
}

function describe(value: unknown): string {
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}
