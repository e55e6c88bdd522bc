import { waitForReceipt } from "@hardhat-identity/client";
import { columns } from "@hardhat-identity/console/columns";
import { optional, requireOption } from "@hardhat-identity/console/options";
import type { Report } from "@hardhat-identity/console/report";
import { readOpenZeppelinArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress, parseAddress } from "@hardhat-identity/protocol/address";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { describeWellKnown, isWellKnownAddress } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { concat, zeroPadValue } from "ethers";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Arguments } from "hardhat-identity/options";
import type { AllowlistState } from "./chain/readAllowlist.ts";
import { openRegistry } from "./openRegistry.ts";
import { type GuardPlan, planGuard, type Stage, stages, type Wanted } from "./plan/planGuard.ts";
import { carryOut, isAgreed } from "./send/sendStep.ts";

type GuardOptions = Arguments<"signers guard">;

/** Does the next step from a registry with any owner to one that an `AccessManager` owns, and shows the others. */
export async function guardRegistry(args: GuardOptions, hre: HardhatRuntimeEnvironment): Promise<Report> {
  const wanted = readWanted(args);
  const { node, state } = await openRegistry(args, hre);
  await refuseDevelopmentAddresses(node, wanted);
  const plan = await planGuard(node, state, wanted);
  const report = (manager: string | undefined, more: object, rows: Rows) =>
    describeGuard({ plan, state, wanted, manager }, more, rows);
  const { stage, step, manager } = plan;
  if (stage === undefined) return report(manager, {}, []);
  if (args.batch !== undefined && !step?.fromIsContract) {
    throw new InvalidInputError(
      `--batch is for a step of an owner that is a contract; the next step is ${stage}.`,
    );
  }
  if (step !== undefined) {
    const { sent, unsent, refused } = await carryOut({ hre, node, args }, step, state);
    if (sent === undefined)
      return { ...report(manager, { sent: false, ...unsent.json }, unsent.rows), refused };
    if (stage === "renounce") await requireStillGuarded(node, state, wanted, sent.transactionHash);
    return report(manager, { sent: true, ...sent }, [["Transaction", sent.transactionHash]]);
  }
  const asked = {
    from: plan.deployer ?? "",
    title: "the code of an AccessManager",
    place: "a new address",
  };
  const unsent = report(manager, { sent: false }, []);
  if (args.dryRun) return unsent;
  if (!(await isAgreed({ hre, node, args }, asked, state.chainId))) return { ...unsent, refused: true };
  const { deployed, ...sent } = await deployManager(node, asked.from);
  return report(deployed, { sent: true, ...sent }, [["Transaction", sent.transactionHash]]);
}

/** Looks once more after the last step: until then, the deployer's key could give somebody a role. */
async function requireStillGuarded(
  node: Eip1193Connection,
  state: AllowlistState,
  wanted: Wanted,
  transactionHash: string,
): Promise<void> {
  await planGuard(node, state, wanted).catch((error: unknown) => {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(
      `The deployer has given up its role (transaction ${transactionHash}). But the roles have changed since: ${error.message}`,
    );
  });
}

function readWanted({ admin, guardians, manager }: GuardOptions): Wanted {
  const list = requireOption("--guardians", guardians, "one or more addresses, separated by commas");
  const wanted = {
    admin: parseAddress("--admin", admin),
    guardians: list.split(",").map((address) => parseAddress("--guardians", address.trim())),
    manager: optional(manager, (text) => parseAddress("--manager", text)),
  };
  for (const address of [wanted.admin, ...wanted.guardians]) {
    if (BigInt(address) === 0n) {
      throw new InvalidInputError("--admin and --guardians must not be the zero address.");
    }
  }
  return wanted;
}

async function refuseDevelopmentAddresses(
  node: Eip1193Connection,
  { admin, guardians }: Wanted,
): Promise<void> {
  const shared = [admin, ...guardians].find(isWellKnownAddress);
  if (shared === undefined || (await isLocalNode(node))) return;
  throw new InvalidInputError(describeWellKnown(`${shared} is`));
}

async function deployManager(node: Eip1193Connection, from: string) {
  const { bytecode } = readOpenZeppelinArtifact("AccessManager");
  const params = [{ from, data: concat([bytecode, zeroPadValue(from, 32)]) }];
  const hash = String(await node.request({ method: "eth_sendTransaction", params }));
  const receipt = await waitForReceipt(node, { hash }).catch((error: Error) => {
    throw new InvalidInputError(`${error.message} The deployment was sent as ${hash}.`, { cause: error });
  });
  const { contractAddress } = receipt as { contractAddress?: string };
  return {
    deployed: checksumAddress(String(contractAddress)),
    transactionHash: receipt.transactionHash,
    blockNumber: Number(receipt.blockNumber),
  };
}

type Rows = readonly (readonly [string, string])[];

function describeGuard(
  about: { plan: GuardPlan; state: AllowlistState; wanted: Wanted; manager: string | undefined },
  more: { sent?: boolean },
  rows: Rows,
): Report {
  const { plan, state, wanted, manager } = about;
  const at = plan.stage === undefined ? stages.length : stages.indexOf(plan.stage);
  const word = (index: number) => {
    if (index < at) return "Done before";
    if (index > at) return "Later";
    return more.sent ? "Done now" : "Next";
  };
  const left = stages.slice(more.sent ? at + 1 : at);
  return {
    json: { registry: state.registry, manager: manager ?? null, step: plan.stage ?? null, left, ...more },
    text: columns([
      ["Registry", state.registry],
      ["AccessManager", manager ?? "none yet"],
      ...stages.map((stage, index) => [word(index), explain(stage, plan, wanted)] as const),
      ...rows,
      ...(left.length > 0 && manager !== undefined
        ? [["To go on", `the same command with --manager ${manager}`] as const]
        : []),
    ]),
  };
}

function explain(stage: Stage, { deployer }: GuardPlan, { admin, guardians }: Wanted): string {
  const everybody = [...new Set([...guardians, admin])].join(", ");
  switch (stage) {
    case "deploy":
      return `deploy an AccessManager${deployer === undefined ? "" : `, which ${deployer} sets up`}`;
    case "roles":
      return `let ${everybody} remove signers at once, and ${admin} add them and administer a day after scheduling it`;
    case "transfer":
      return "transferOwnership to the AccessManager, by the registry's owner";
    case "accept":
      return "acceptOwnership through the AccessManager";
    default:
      return `renounceRole: ${deployer ?? "the account that set it up"} gives up the administration`;
  }
}
