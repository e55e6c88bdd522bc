import type { DeploymentParameters, IgnitionModule } from "@nomicfoundation/ignition-core";
import { parseAddress } from "../protocol/address.ts";
import { isWellKnownAddress } from "../protocol/development.ts";
import { InvalidInputError } from "../protocol/errors.ts";

/** What the parameters of this package's modules are: an address of `a` contract, or of somebody who is `trusted`. */
const known: Readonly<Record<string, Readonly<Record<string, "contract" | "trusted" | "trusted list">>>> = {
  SignerRegistry: { owner: "trusted", signers: "trusted list" },
  IncentiveProgram: { registry: "contract" },
  MembershipPass: { registry: "contract" },
  VerifiedVault: { registry: "contract", token: "contract" },
  Ballot: { registry: "contract" },
};

const zeroAddress = `0x${"0".repeat(40)}`;

/**
 * Checks the parameters of this package's modules before anything is sent: Ignition itself would find a wrong one
 * only on the way. A parameter that is missing is left to Ignition, which reports it first of all.
 *
 * @param module The module to deploy; those that it uses are checked, too.
 * @param parameters As Ignition takes them: module id → name → value, `$global` for all modules.
 * @param isLocalNode Asked only when a development address would be trusted.
 * @throws InvalidInputError naming the parameter, what it got and what it wants.
 */
export async function checkParameters(
  module: IgnitionModule,
  parameters: DeploymentParameters,
  isLocalNode: () => Promise<boolean>,
): Promise<void> {
  for (const id of collectIds(module)) {
    for (const [name, kind] of Object.entries(known[id] ?? {})) {
      const value = parameters[id]?.[name] ?? parameters.$global?.[name];
      if (value === undefined) continue;
      const label = `${id}.${name}`;
      const addresses = kind === "trusted list" ? parseList(label, value) : [parse(label, value)];
      if (kind !== "contract") await refuseDevelopmentAddresses(label, addresses, isLocalNode);
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

async function refuseDevelopmentAddresses(
  label: string,
  addresses: readonly string[],
  isLocalNode: () => Promise<boolean>,
): Promise<void> {
  const shared = addresses.find(isWellKnownAddress);
  if (shared === undefined || (await isLocalNode())) return;
  throw new InvalidInputError(
    `${label} is ${shared}, a development address: everybody knows its key, and this chain is not a local node.`,
  );
}

function describe(value: unknown): string {
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}
