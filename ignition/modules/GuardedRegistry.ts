import { buildModule } from "@nomicfoundation/ignition-core";
import { id } from "ethers";
import { readArtifact, readOpenZeppelinArtifact } from "../artifacts.ts";
import { dayInSeconds, guardRoles } from "../guardRoles.ts";

const { admin, guardian, adder } = guardRoles;
const addSigner = id("addSigner(address)").slice(0, 10);
const removeSigner = id("removeSigner(address)").slice(0, 10);

/**
 * Deploys the registry with OpenZeppelin's `AccessManager` as its owner. Parameters: `owner` (address, such as a multisig),
 * `signers` (array of addresses, may be empty), and three guardians (addresses; one may be given more than once):
 * `watcher`, `guardian1`, `guardian2`.
 *
 * - A guardian may only remove a signer, at once, and cancel the addition of a signer.
 * - The owner may remove a signer at once. Everything else that it does waits a day after it was scheduled, where all can
 *   see it: adding a signer, changing roles, and handing the registry over.
 */
export default buildModule("GuardedRegistry", (m) => {
  const owner = m.getParameter<string>("owner");
  const signers = m.getParameter<string[]>("signers");
  const guardians = ["watcher", "guardian1", "guardian2"].map((name) => m.getParameter<string>(name));
  const deployer = m.getAccount(0);

  const manager = m.contract("AccessManager", readOpenZeppelinArtifact("AccessManager"), [deployer]);
  const registry = m.contract("SignerRegistry", readArtifact("SignerRegistry"), [manager, signers]);
  const mayRemove = m.call(manager, "setTargetFunctionRole", [registry, [removeSigner], guardian], {
    id: "guardiansMayRemove",
  });
  const mayAdd = m.call(manager, "setTargetFunctionRole", [registry, [addSigner], adder], {
    id: "adderMayAdd",
  });
  const mayCancel = m.call(manager, "setRoleGuardian", [adder, guardian], { id: "guardiansMayCancel" });
  const grants = [
    ...guardians.map((account, i) =>
      m.call(manager, "grantRole", [guardian, account, 0], { id: `guardian${i}` }),
    ),
    m.call(manager, "grantRole", [guardian, owner, 0], { id: "ownerMayRemove" }),
    m.call(manager, "grantRole", [adder, owner, dayInSeconds], { id: "ownerMayAdd" }),
    m.call(manager, "grantRole", [admin, owner, dayInSeconds], { id: "ownerAdministers" }),
  ];
  // Last: from here on, the deployer may do nothing.
  m.call(manager, "renounceRole", [admin, deployer], {
    id: "deployerLeaves",
    after: [mayRemove, mayAdd, mayCancel, ...grants],
  });
  return { manager, registry };
});
