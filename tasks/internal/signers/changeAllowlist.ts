import { writeFile } from "node:fs/promises";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { isLocalNode } from "../../../chain/localNode.ts";
import { IdentityError } from "../../../client/index.ts";
import { columns } from "../../../console/columns.ts";
import type { Report } from "../../../console/report.ts";
import { parseAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { AllowlistState } from "../../../signer/operations/signers/readAllowlist.ts";
import { sendAndWait } from "../consumer/sendAndWait.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { openRegistry, type RegistryOptions } from "./openRegistry.ts";
import { planChange } from "./planChange.ts";
import { composeBatch, type PlannedCall } from "./safeBatch.ts";

export type ChangeOptions = RegistryOptions &
  Record<"signer" | "batch", string | undefined> & { readonly dryRun: boolean; readonly yes: boolean };

/** Changes an allowlist as the registry's owner, or describes the transaction for an owner that is a contract. */
export async function changeAllowlist(
  kind: "add" | "remove",
  args: ChangeOptions,
  hre: HardhatRuntimeEnvironment,
): Promise<Report> {
  const signer = parseAddress("--signer", args.signer);
  const { node, state, service } = await openRegistry(args, hre);
  const change = { kind, signer, yes: args.yes };
  const call = await planChange(node, state, change, { isLocal: () => isLocalNode(node), service });
  if (args.batch !== undefined) {
    await writeBatch(args.batch, state, call);
    return describePlan(state, call, { batch: args.batch });
  }
  if (args.dryRun || state.ownerIsContract) return describePlan(state, call, {});
  await demandAccount(node, state);
  if (!(await isAgreed(hre, node, args, state, call))) {
    return { ...describePlan(state, call, {}), refused: true };
  }
  return await send(node, state, call);
}

async function writeBatch(file: string, { chainId, owner: safe }: AllowlistState, call: PlannedCall) {
  const batch = composeBatch({ chainId, safe, call, createdAt: Date.now() });
  try {
    await writeFile(file, `${JSON.stringify(batch, undefined, 2)}\n`, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    const why = code === "EEXIST" ? "already exists" : `cannot be written (${code})`;
    throw new InvalidInputError(`--batch names ${file}, which ${why}.`);
  }
}

/** @throws InvalidInputError if the owner is not one of the network's accounts. */
async function demandAccount(
  node: Eip1193Connection,
  { owner, pendingOwner }: AllowlistState,
): Promise<void> {
  const { accounts: own, unanswered } = await readAccounts(node);
  const accounts = own.map((account) => parseAddress("eth_accounts", account));
  if (accounts.includes(owner)) return;
  const heir =
    pendingOwner !== undefined && accounts.includes(pendingOwner)
      ? ` ${pendingOwner} becomes the owner when it calls acceptOwnership().`
      : "";
  const has =
    accounts.length === 0 ? `there is none${unanswered}` : `these are ${accounts.slice(0, 3).join(", ")}`;
  throw new InvalidInputError(
    `Only the registry's owner ${owner} can do that, and it is not one of the network's accounts: ${has}.${heir} Configure its key (accounts in the network's configuration), or have it send what --dry-run prints.`,
  );
}

/** Asks a person at a terminal. Scripts are not asked. */
async function isAgreed(
  hre: HardhatRuntimeEnvironment,
  node: Eip1193Connection,
  { json, yes }: ChangeOptions,
  { chainId, owner }: AllowlistState,
  { to, name, argument }: PlannedCall,
): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY) {
    if (await isLocalNode(node)) return true;
    throw new InvalidInputError(
      `This sends ${name}(${argument}) to the registry ${to} on chain ${chainId}, and there is no terminal to ask at: say --yes, or look at it first with --dry-run.`,
    );
  }
  const answer = await hre.interruptions.requestInput(
    "hardhat-identity",
    `${owner} will send ${name}(${argument}) to the registry ${to} on chain ${chainId}. Send it? (y/N)`,
  );
  return /^y(es)?$/i.test(answer.trim());
}

async function send(
  node: Eip1193Connection,
  { chainId, owner, registry }: AllowlistState,
  { to, data, name, argument: signer }: PlannedCall,
): Promise<Report> {
  try {
    const call = { from: owner, to, data, value: 0n, chainId };
    const { transactionHash, blockNumber } = await sendAndWait(node, call);
    const block = Number(blockNumber);
    return {
      json: { registry, signer, sent: true, transactionHash, blockNumber: block },
      text: columns([
        [
          name === "addSigner" ? "Added" : "Removed",
          `${signer} at the registry ${registry}, since block ${block}`,
        ],
        ["Transaction", transactionHash],
      ]),
    };
  } catch (error) {
    if (error instanceof IdentityError) throw new InvalidInputError(`${name} failed: ${error.message}`);
    throw error;
  }
}

/** Describes a transaction that is not sent. */
function describePlan(
  { registry, chainId, owner, ownerIsContract }: AllowlistState,
  { to, value, data, name, argument: signer }: PlannedCall,
  { batch }: { batch?: string },
): Report {
  return {
    json: { registry, signer, sent: false, owner, transaction: { to, value, data }, ...(batch && { batch }) },
    text: columns([
      ["Not sent", `${name}(${signer}), which the registry's owner ${owner} must send on chain ${chainId}`],
      ["To", to],
      ["Value", value],
      ["Data", data],
      ...(batch === undefined ? [] : [["Batch", `${batch}, for Safe's Transaction Builder`] as const]),
      ...(ownerIsContract && batch === undefined
        ? [["Safe", "--batch <file> writes it for Safe's Transaction Builder"] as const]
        : []),
    ]),
  };
}
