import { writeFile } from "node:fs/promises";
import { IdentityError } from "@hardhat-identity/client";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { sendAndWait } from "hardhat-identity/internal/consumer/sendAndWait";
import { readAccounts } from "hardhat-identity/internal/wallet/readAccounts";
import type { Arguments } from "hardhat-identity/options";
import type { AllowlistState } from "../chain/readAllowlist.ts";
import type { Step } from "../plan/plannedCall.ts";
import { composeBatch } from "./safeBatch.ts";

/** A command of a person, and the node that it is for. */
interface Command {
  readonly hre: HardhatRuntimeEnvironment;
  readonly node: Eip1193Connection;
  readonly args: Pick<Arguments<"signers add">, "batch" | "dryRun" | "json" | "yes">;
}

/** Sends a step. Only describes it with `--dry-run` or `--batch`, after a "no", or if the sender is a contract. */
export async function carryOut(command: Command, step: Step, state: AllowlistState) {
  const { node, args } = command;
  const { batch } = args;
  const { chainId } = state;
  if (batch !== undefined) await writeBatch(batch, step, state);
  const unsent = describeUnsent(step, chainId, batch);
  if (batch !== undefined || args.dryRun || step.fromIsContract) return { unsent, refused: false };
  await requireAccount(node, step, state);
  if (!(await isAgreed(command, step, chainId))) return { unsent, refused: true };
  return { sent: await sendStep(node, step, chainId) };
}

/** @throws InvalidInputError if the sender is not one of the network's accounts. */
async function requireAccount(
  node: Eip1193Connection,
  { from, sender }: Pick<Step, "from" | "sender">,
  { owner, pendingOwner }: AllowlistState,
): Promise<void> {
  const { accounts: own, unanswered } = await readAccounts(node);
  if (own.includes(from)) return;
  const heir =
    from === owner && pendingOwner !== undefined && own.includes(pendingOwner)
      ? ` ${pendingOwner} becomes the owner when it calls acceptOwnership().`
      : "";
  const has = own.length === 0 ? `there is none${unanswered}` : `these are ${own.slice(0, 3).join(", ")}`;
  throw new InvalidInputError(
    `Only ${sender} can do that, and it is not one of the network's accounts: ${has}.${heir} Configure its key (accounts in the network's configuration), or let it send the transaction that --dry-run prints.`,
  );
}

/** Asks a person at a terminal. Scripts are not asked. */
export async function isAgreed(
  { hre, node, args: { json, yes } }: Command,
  { from, title, place }: Pick<Step, "from" | "title" | "place">,
  chainId: number,
): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY) {
    if (await isLocalNode(node)) return true;
    throw new InvalidInputError(
      `This would send ${title} to ${place} on chain ${chainId}, but there is no terminal for a confirmation: add --yes, or add --dry-run to see the transaction first.`,
    );
  }
  const answer = await hre.interruptions.requestInput(
    "hardhat-identity",
    `${from} will send ${title} to ${place} on chain ${chainId}. Send it? (y/N)`,
  );
  return /^y(es)?$/i.test(answer.trim());
}

/** Sends a step, and waits for its block. */
async function sendStep(
  node: Eip1193Connection,
  { from, call: { to, data, name } }: Step,
  chainId: number,
): Promise<{ transactionHash: string; blockNumber: number }> {
  try {
    const call = { from, to, data, value: 0n, chainId };
    const { transactionHash, blockNumber } = await sendAndWait(node, call);
    return { transactionHash, blockNumber: Number(blockNumber) };
  } catch (error) {
    if (error instanceof IdentityError) throw new InvalidInputError(`${name} failed: ${error.message}`);
    throw error;
  }
}

/** Writes a step to a new file for Safe's Transaction Builder. */
async function writeBatch(
  file: string,
  { from: safe, call, title }: Step,
  { chainId, registry }: { readonly chainId: number; readonly registry: string },
): Promise<void> {
  const batch = composeBatch({ chainId, registry, safe, call, title, createdAt: Date.now() });
  try {
    await writeFile(file, `${JSON.stringify(batch, undefined, 2)}\n`, { flag: "wx" });
  } catch (error) {
    const code = systemErrorCode(error);
    const why = code === "EEXIST" ? "already exists" : `cannot be written (${code})`;
    throw new InvalidInputError(`--batch names ${file}, which ${why}.`);
  }
}

/** Describes a step that is not sent. */
function describeUnsent(
  { sender, fromIsContract, call: { to, value, data }, title }: Step,
  chainId: number,
  batch: string | undefined,
) {
  const rows: (readonly [string, string])[] = [
    ["Not sent", `${title}, which ${sender} must send on chain ${chainId}`],
    ["To", to],
    ["Value", value],
    ["Data", data],
  ];
  if (batch !== undefined) rows.push(["Batch", `${batch}, for Safe's Transaction Builder`]);
  else if (fromIsContract)
    rows.push(["For a Safe", "--batch <file> writes it for Safe's Transaction Builder"]);
  return {
    rows,
    json: { transaction: { to, value, data }, ...(batch !== undefined && { batch }) },
  };
}
