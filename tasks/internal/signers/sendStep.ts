import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { isLocalNode } from "../../../chain/localNode.ts";
import { IdentityError } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { sendAndWait } from "../consumer/sendAndWait.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import type { Step } from "./plannedCall.ts";
import type { AllowlistState } from "./readAllowlist.ts";

/** @throws InvalidInputError if the sender is not one of the network's accounts. */
export async function demandAccount(
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
    `Only ${sender} can do that, and it is not one of the network's accounts: ${has}.${heir} Configure its key (accounts in the network's configuration), or have it send what --dry-run prints.`,
  );
}

/** Asks a person at a terminal. Scripts are not asked. */
export async function isAgreed(
  hre: HardhatRuntimeEnvironment,
  node: Eip1193Connection,
  { json, yes }: { readonly json: boolean; readonly yes: boolean },
  { from, title, place }: Pick<Step, "from" | "title" | "place">,
  chainId: number,
): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY) {
    if (await isLocalNode(node)) return true;
    throw new InvalidInputError(
      `This sends ${title} to ${place} on chain ${chainId}, and there is no terminal to ask at: say --yes, or look at it first with --dry-run.`,
    );
  }
  const answer = await hre.interruptions.requestInput(
    "hardhat-identity",
    `${from} will send ${title} to ${place} on chain ${chainId}. Send it? (y/N)`,
  );
  return /^y(es)?$/i.test(answer.trim());
}

/** Sends a step, and waits for its block. */
export async function sendStep(
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
