// Do upgrades keep the identities, and who may upgrade?
import { Interface, zeroPadValue } from "ethers";
import { readRuns, slots } from "hardhat-identity/internal/consumer/erc1967";
import { type ContractAttack, short } from "../attack.ts";
import type { Found, Ready, Scene, Version } from "../scene.ts";
import { explainChange, listen } from "./policy.ts";

const uups = new Interface(["function upgradeToAndCall(address implementation, bytes data) payable"]);

export const upgrading: ContractAttack = {
  name: "unsafe upgrade",
  async run(scene) {
    const { address } = scene.target;
    const runs = await readRuns(scene.stage.node, address);
    if (runs === undefined || !("implementation" in runs)) return [];
    const seen: (Found | undefined)[] = [await scene.fresh(() => byStranger(scene, runs.implementation))];
    for (const version of scene.target.versions ?? []) {
      for (const entry of scene.entryPoints) {
        seen.push(await scene.fresh(() => keeps(scene, entry, version, runs.implementation)));
      }
    }
    return seen.filter((each) => each !== undefined).slice(0, 1);
  },
};

async function byStranger(scene: Scene, implementation: string): Promise<Found | undefined> {
  const { stranger } = scene.wallets;
  const data = uups.encodeFunctionData("upgradeToAndCall", [implementation, "0x"]);
  const outcome = await scene.send("A stranger upgrades the contract.", {
    from: stranger,
    to: scene.target.address,
    data,
  });
  if (!("done" in outcome)) return undefined;
  return scene.found(
    "Anybody can upgrade the contract, and so admit anybody: let _authorizeUpgrade revert for all but its owner.",
    "upgradeToAndCall(address,bytes)",
  );
}

/** Counts a person at one version, upgrades, and lets the person come again. */
async function keeps(
  scene: Scene,
  entry: Ready,
  version: Version,
  current: string,
): Promise<Found | undefined> {
  const next = version.isPrevious ? current : version.implementation;
  if (version.isPrevious) await place(scene, version.implementation);
  const counted = await scene.claim(entry);
  if (!("done" in counted)) return undefined;
  const isForgotten = await scene.branch(() => comesAgain(scene, entry));
  const before = await listen(scene);
  await upgrade(scene, next);
  const way = version.isPrevious ? `from ${version.name}` : "to the same version, deployed again";
  const after = await listen(scene);
  const message = explainChange(before, after, `with an upgrade ${way}`);
  if (message !== undefined) return scene.found(message, "upgradeToAndCall(address,bytes)");
  if (before.cutoffBlock !== after.cutoffBlock) {
    return scene.found(
      `The cutoff moves with an upgrade ${way}, so everybody has to prove their account again: keep it in storage, not in an immutable.`,
      "cutoffBlock()",
    );
  }
  // Other attacks find contracts that forget without an upgrade.
  if (isForgotten || !(await comesAgain(scene, entry))) return undefined;
  return scene.found(
    `An upgrade ${way} forgets the identities that ${short(entry)} has counted: let the new version remember them in the same storage.`,
    entry.name,
  );
}

/** Whether the person whom the first wallet claimed for is admitted with the second. */
async function comesAgain(scene: Scene, entry: Ready): Promise<boolean> {
  const { second } = scene.wallets;
  const gains = await scene.gains(entry, second);
  return gains.size > 0 && scene.isAdmitted(await scene.claim(entry, { wallet: second }), gains);
}

async function upgrade(scene: Scene, implementation: string): Promise<void> {
  const { owner, address } = scene.target;
  const data = uups.encodeFunctionData("upgradeToAndCall", [implementation, "0x"]);
  const outcome =
    owner !== undefined &&
    (await scene.send("The owner upgrades the contract.", { from: owner, to: address, data }));
  // A transparent proxy is upgraded by its admin.
  if (!outcome || !("done" in outcome)) await place(scene, implementation);
}

/** Sets the implementation in the proxy's storage, as an upgrade would. */
async function place(scene: Scene, implementation: string): Promise<void> {
  const params = [scene.target.address, slots.implementation, zeroPadValue(implementation, 32)];
  await scene.stage.node.request({ method: "hardhat_setStorageAt", params });
}
