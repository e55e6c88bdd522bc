import type { ServiceSigners } from "@hardhat-identity/console/serviceSigners";
import { describeWellKnown, isWellKnownAddress } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import { ZeroAddress } from "ethers";
import { registryInterface } from "hardhat-identity/internal/consumer/registryInterface";
import { simulate } from "hardhat-identity/internal/consumer/simulate";
import type { AllowlistState } from "../chain/readAllowlist.ts";
import { type PlannedCall, planCall } from "./plannedCall.ts";

/** A change of an allowlist. */
export interface Change {
  readonly kind: "add" | "remove";
  readonly signer: string;
  /** Whether to allow a removal that leaves no working signer. */
  readonly yes: boolean;
}

/** The chain and the service of a registry, as far as a change depends on them. */
export interface Known {
  /** Whether the chain is a local node. Called only if needed. */
  readonly isLocal: () => Promise<boolean>;
  /** A service of the registry, if one is known. */
  readonly service: ServiceSigners | undefined;
}

/**
 * Plans the transaction that changes an allowlist, and simulates it as the registry's owner.
 *
 * @throws InvalidInputError that says why the transaction would fail or do harm.
 */
export async function planChange(
  node: Eip1193Connection,
  state: AllowlistState,
  change: Change,
  known: Known,
): Promise<PlannedCall> {
  const { registry: to, owner: from } = state;
  if (change.kind === "add") await requireAddable(state, change, known.isLocal);
  else requireRemovable(state, change, known.service);
  const name = change.kind === "add" ? "addSigner" : "removeSigner";
  const call = planCall(to, registryInterface, name, [change.signer]);
  const result = await simulate(node, { from, to, data: call.data }, "latest");
  if ("revert" in result) {
    const { text, meaning } = describeRevert(result.revert, { abis: [registryInterface.fragments] });
    throw new InvalidInputError(`The registry ${to} refuses ${name}: ${meaning ?? text}`);
  }
  return call;
}

async function requireAddable(
  { registry, signers }: AllowlistState,
  { signer }: Change,
  isLocal: () => Promise<boolean>,
): Promise<void> {
  if (signer === ZeroAddress) throw new InvalidInputError("--signer must not be the zero address.");
  if (signers.includes(signer)) {
    throw new InvalidInputError(`${signer} is already on the allowlist of the registry ${registry}.`);
  }
  if (!isWellKnownAddress(signer) || (await isLocal())) return;
  throw new InvalidInputError(describeWellKnown(`--signer is ${signer},`));
}

function requireRemovable(
  { registry, signers }: AllowlistState,
  { signer, yes }: Change,
  service: ServiceSigners | undefined,
): void {
  if (!signers.includes(signer)) {
    const has = signers.length === 0 ? "which is empty" : `which has ${signers.join(" and ")}`;
    throw new InvalidInputError(`${signer} is not on the allowlist of the registry ${registry}, ${has}.`);
  }
  if (yes) return;
  if (signers.length === 1) {
    throw new InvalidInputError(
      `${signer} is the only signer of the registry ${registry}: without it, no verification is valid until another one is added. Add another one first, or give --yes, for example after the key has leaked.`,
    );
  }
  if (service?.signer === signer) {
    throw new InvalidInputError(
      `The service ${service.url} signs with ${signer}: its verifications would become invalid. Rotate its key first, or give --yes, for example after the key has leaked.`,
    );
  }
}
