// Attacks on upgrades: whether a stranger may upgrade, and whether upgrades keep the identities.
import { Interface } from "ethers";
import { findImplementation, readRuns } from "hardhat-identity/internal/consumer/erc1967";
import { substitute } from "../calldata.ts";
import { shared } from "../effect.ts";
import { isAdmitted } from "../gains.ts";
import { type Attack, findWay, type Verdict, verdictOf } from "../judge.ts";
import type { Play } from "../play.ts";
import type { Scene } from "../scene.ts";
import type { Call } from "../stage.ts";
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

const upgrades: Attack = {
  name: "unsafe upgrade",
  async *run(scene) {
    yield* byAStranger(scene);
    if (scene.canUpgrade) yield await scene.branch(() => keeps(scene));
  },
};

async function* byAStranger(scene: Scene): AsyncIterable<Verdict> {
  const { address, owner } = scene.target;
  const runs = await readRuns(scene.stage.node, address);
  if (runs === undefined || !("implementation" in runs)) return;
  for (const [name, args] of ways(runs.implementation)) {
    const trial = async () => {
      const data = uups.encodeFunctionData(name, args);
      const call = { from: scene.wallets.stranger, to: address, data };
      const outcome = await scene.send("A stranger upgrades the contract.", call);
      if (!("done" in outcome)) {
        const own = owner && (await scene.stage.simulate({ ...call, from: owner }));
        // A transparent proxy is upgraded by its admin.
        return own && "done" in own ? undefined : { refusal: `the owner's ${name} is refused, too` };
      }
      return "Anybody can upgrade the contract, and so admit anybody: let _authorizeUpgrade revert for all but its owner.";
    };
    const entryPoint = `${name}(${name === "upgradeTo" ? "address" : "address,bytes"})`;
    yield await verdictOf(scene, trial, { entryPoint });
  }
}

/** Counts a person, upgrades, and lets the person come again. */
async function keeps(scene: Scene): Promise<Verdict> {
  const { second } = scene.wallets;
  const counted = await scene.play();
  if (!("done" in counted)) return { refusal: scene.sayRefusal(counted) };
  const before = await listen(scene);
  const isForgotten = await scene.branch(() => comesAgain(scene));
  const refusal = await scene.upgrade();
  if (refusal !== undefined) return { refusal: `the upgrade fails: ${refusal}` };
  const after = await listen(scene);
  const entryPoint = "upgradeToAndCall(address,bytes)";
  const message = explainChange(before, after, "with an upgrade");
  if (message !== undefined) return { found: scene.found(message, { entryPoint }) };
  if (before.cutoffBlock !== after.cutoffBlock) {
    const moves =
      "The cutoff moves with an upgrade, so everyone has to verify their account again: keep it in storage, not in an immutable.";
    return { found: scene.found(moves, { entryPoint: "cutoffBlock()" }) };
  }
  const control = await findWay(scene, { wallet: second, identity: "carol" });
  if ("refusal" in control) return control;
  // Other attacks find contracts that forget without an upgrade.
  if (isForgotten || !(await comesAgain(scene))) return "held";
  const forgets = `An upgrade forgets the identities that ${scene.short} has counted: let the new version remember them in the same storage.`;
  return { found: scene.found(forgets) };
}

/** Whether the person whom the first wallet claimed for is admitted with the second. */
async function comesAgain(scene: Scene): Promise<boolean> {
  const { second } = scene.wallets;
  const way = await findWay(scene, { wallet: second, identity: "carol" });
  return "gains" in way && isAdmitted(await scene.play({ wallet: second, edit: way.edit }), way.gains);
}

/** Claims at a proxy, and then at the implementation behind it, for which the service signs another verification. */
const direct: Attack = {
  name: "claim at the implementation",
  async *run(scene) {
    const { address } = scene.target;
    const implementation = await findImplementation(scene.stage.node, address);
    if (implementation === address || scene.isTrusted) return;
    const edit = {
      what: "the implementation instead of the proxy",
      apply: (call: Call) => ({
        ...substitute(call, address, implementation),
        to: call.to?.toLowerCase() === address.toLowerCase() ? implementation : call.to,
      }),
    };
    const again: Play = {
      wallet: scene.wallets.second,
      mint: { binding: { consumer: implementation } },
      edit,
    };
    const usual = await scene.gains({});
    if ("refusal" in usual) return void (yield usual);
    const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
      await scene.play();
      const control = await scene.gains({ ...again, identity: "carol" });
      // The implementation's own storage counts nowhere.
      const gains = "gains" in control ? shared(control.gains, usual.gains) : new Set<string>();
      if (gains.size === 0) return undefined;
      if (!isAdmitted(await scene.play(again), gains)) return "held";
      const message = `${scene.short} counts a person again at the implementation behind the proxy: let it refuse calls that do not come through the proxy, as onlyProxy does.`;
      return { found: scene.found(message) };
    });
    if (verdict !== undefined) yield verdict;
  },
};

export const upgrading: readonly Attack[] = [upgrades, direct];
