// Do upgrades keep the identities, and who may upgrade?
import { Interface, zeroPadValue } from "ethers";
import { isCodeOf } from "hardhat-identity/internal/consumer/compiledContract";
import { readCode, readRuns, slots } from "hardhat-identity/internal/consumer/erc1967";
import { type Attack, findWay, type Verdict } from "../judge.ts";
import { isAdmitted, type Scene } from "../play.ts";
import { findVersions, type Version } from "../versions.ts";
import { explainChange, listen } from "./policy.ts";

const uups = new Interface([
  "function upgradeTo(address implementation)",
  "function upgradeToAndCall(address implementation, bytes data) payable",
  "function proxiableUUID() view returns (bytes32)",
]);
/** OpenZeppelin 4 has both functions, and calls the new implementation by the second one, even without data. */
const ways = (implementation: string) =>
  [
    ["upgradeToAndCall", [implementation, "0x"]],
    ["upgradeTo", [implementation]],
    ["upgradeToAndCall", [implementation, uups.encodeFunctionData("proxiableUUID")]],
  ] as const;

export const upgrading: Attack = {
  name: "unsafe upgrade",
  async *run(scene) {
    const { address } = scene.target;
    const { node } = scene.stage;
    const runs = await readRuns(node, address);
    if (runs === undefined || !("implementation" in runs)) return;
    for (const [name, args] of ways(runs.implementation)) {
      yield await scene.branch(async (): Promise<Verdict> => {
        const data = uups.encodeFunctionData(name, args);
        const call = { from: scene.wallets.stranger, to: address, data };
        const outcome = await scene.send("A stranger upgrades the contract.", call);
        if (!("done" in outcome)) {
          const { owner } = scene.target;
          const own = owner && (await scene.stage.simulate({ ...call, from: owner }));
          // A transparent proxy is upgraded by its admin.
          return own && "done" in own ? "held" : { refusal: `the owner's ${name} is refused, too` };
        }
        return {
          found: scene.found(
            "Anybody can upgrade the contract, and so admit anybody: let _authorizeUpgrade revert for all but its owner.",
            { entryPoint: `${name}(${name === "upgradeTo" ? "address" : "address,bytes"})` },
          ),
        };
      });
    }
    const code = await readCode(node, runs.implementation);
    const running = (await scene.artifacts()).find((each) => isCodeOf(code, each));
    for (const version of await findVersions(scene, runs.implementation, running)) {
      yield await scene.branch(() => keeps(scene, version, runs.implementation));
    }
  },
};

/** Counts a person at one version, upgrades, and lets the person come again. */
async function keeps(scene: Scene, version: Version, current: string): Promise<Verdict> {
  const { second } = scene.wallets;
  const next = version.isPrevious ? current : version.implementation;
  if (version.isPrevious) await place(scene, version.implementation);
  const counted = await scene.play();
  if (!("done" in counted)) return { refusal: scene.sayRefusal(counted) };
  const before = await listen(scene);
  const isForgotten = await scene.branch(() => comesAgain(scene));
  await upgrade(scene, next);
  const way = version.isPrevious ? `from ${version.name}` : "to the same version, deployed again";
  const after = await listen(scene);
  const entryPoint = "upgradeToAndCall(address,bytes)";
  const message = explainChange(before, after, `with an upgrade ${way}`);
  if (message !== undefined) return { found: scene.found(message, { entryPoint }) };
  if (before.cutoffBlock !== after.cutoffBlock) {
    return {
      found: scene.found(
        `The cutoff moves with an upgrade ${way}, so everybody has to prove their account again: keep it in storage, not in an immutable.`,
        { entryPoint: "cutoffBlock()" },
      ),
    };
  }
  const control = await findWay(scene, { wallet: second, identity: "carol" });
  if ("refusal" in control) return control;
  // Other attacks find contracts that forget without an upgrade.
  if (isForgotten || !(await comesAgain(scene))) return "held";
  return {
    found: scene.found(
      `An upgrade ${way} forgets the identities that ${scene.short} has counted: let the new version remember them in the same storage.`,
    ),
  };
}

/** Whether the person whom the first wallet claimed for is admitted with the second. */
async function comesAgain(scene: Scene): Promise<boolean> {
  const { second } = scene.wallets;
  const way = await findWay(scene, { wallet: second, identity: "carol" });
  return "gains" in way && isAdmitted(await scene.play({ wallet: second, edit: way.edit }), way.gains);
}

async function upgrade(scene: Scene, implementation: string): Promise<void> {
  const { owner, address } = scene.target;
  for (const [name, args] of owner === undefined ? [] : ways(implementation)) {
    const call = { from: owner ?? "", to: address, data: uups.encodeFunctionData(name, args) };
    if ("done" in (await scene.send("The owner upgrades the contract.", call))) return;
  }
  // A transparent proxy is upgraded by its admin.
  await place(scene, implementation);
}

/** Sets the implementation in the proxy's storage, as an upgrade would. */
async function place(scene: Scene, implementation: string): Promise<void> {
  const params = [scene.target.address, slots.implementation, zeroPadValue(implementation, 32)];
  await scene.stage.node.request({ method: "hardhat_setStorageAt", params });
  scene.note(`implementation ${implementation}`);
}
