import type { ArgumentType } from "@nomicfoundation/ignition-core";
import { id } from "ethers";
import { readArtifact, readOpenZeppelinArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";
import { dayInSeconds, guardRoles } from "../guardRoles.ts";

const { admin, guardian, adder } = guardRoles;
const addSigner = id("addSigner(address)").slice(0, 10);
const removeSigner = id("removeSigner(address)").slice(0, 10);

/**
 * Deploys the registry with OpenZeppelin's `AccessManager` as its owner. Parameters: `owner` (address, such as a multisig,
 * and not the deploying account), `signers` (array of addresses, may be empty), and three guardians (addresses; one may be
 * given more than once): `watcher`, `guardian1`, `guardian2`.
 *
 * - A guardian may only remove a signer, at once, and cancel the addition of a signer.
 * - The owner may remove a signer at once. Everything else that it does waits a day after it was scheduled, where all can
 *   see it: adding a signer, changing roles, and handing the registry over.
 */
export default buildCheckedModule(
  "GuardedRegistry",
  {
    owner: "guarded owner",
    signers: "trusted list",
    watcher: "trusted",
    guardian1: "trusted",
    guardian2: "trusted",
  },
  (m, { owner, signers, watcher, guardian1, guardian2 }) => {
    const deployer = m.getAccount(0);
    const manager = m.contract("AccessManager", readOpenZeppelinArtifact("AccessManager"), [deployer], {
      from: deployer,
    });
    const registry = m.contract("SignerRegistry", readArtifact("SignerRegistry"), [manager, signers], {
      from: deployer,
    });
    // In one transaction, so that the roles are never half set. The owner's administration comes before the guardians: an
    // owner that is the deploying account has to wait a day from there on, so the transaction fails as a whole.
    const encode = (id: string, name: string, args: ArgumentType[]) =>
      m.encodeFunctionCall(manager, name, args, { id });
    const guardians = Object.entries({ watcher, guardian1, guardian2 }).map(([name, address]) =>
      encode(`${name}MayRemove`, "grantRole", [guardian, address, 0]),
    );
    const calls = [
      encode("guardiansMayRemove", "setTargetFunctionRole", [registry, [removeSigner], guardian]),
      encode("adderMayAdd", "setTargetFunctionRole", [registry, [addSigner], adder]),
      encode("guardiansMayCancel", "setRoleGuardian", [adder, guardian]),
      encode("ownerMayAdd", "grantRole", [adder, owner, dayInSeconds]),
      encode("ownerAdministers", "grantRole", [admin, owner, dayInSeconds]),
      encode("ownerMayRemove", "grantRole", [guardian, owner, 0]),
      ...guardians,
      // From here on, the deployer may do nothing.
      encode("deployerLeaves", "renounceRole", [admin, deployer]),
    ];
    m.call(manager, "multicall", [calls], { id: "setRoles", from: deployer });
    return { manager, registry };
  },
);
