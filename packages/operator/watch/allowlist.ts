import { checksumAddress } from "@hardhat-identity/protocol/address";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { decodeSigners, signersCall } from "@hardhat-identity/protocol/chain/registry";
import { dataSlice } from "ethers";
import type { JudgeOptions } from "./judging/judge.ts";
import { callAt } from "./reading/callAt.ts";
import type { Log } from "./reading/events.ts";
import { type BlockName, requireHeader } from "./reading/header.ts";
import type { Teller } from "./telling/teller.ts";

export const signerOf = ({ topics }: Log): string => checksumAddress(dataSlice(topics[1] ?? "", 12));

/** Follows a registry's allowlist: the signers that are on it, and those that were lately. */
export function followAllowlist(
  options: Pick<JudgeOptions, "node" | "registry" | "others"> & { readonly teller: Teller },
) {
  const { node, registry, others, teller } = options;
  const recent = new Set(others);
  let current: readonly string[] = [];
  let [hasBegun, isOld] = [false, true];

  async function readAt(at: BlockName): Promise<string[] | undefined> {
    const [answer] = await callAt(node, at.hash, [signersCall(registry)]);
    return answer?.success && answer.size >= 64 ? decodeSigners(answer.data) : undefined;
  }

  return {
    /** The signers to whom a claim may be attributed. */
    recent: recent as ReadonlySet<string>,

    /** Begins, once, with the signers at a block; adds those that the services have used, as far as is known by now. */
    async begin(at: BlockName, used: ReadonlySet<string>): Promise<void> {
      for (const signer of used) recent.add(signer);
      if (hasBegun) return;
      for (const signer of (await readAt(at)) ?? []) recent.add(signer);
      hasBegun = true;
    },

    /** Notes signers that were added or removed. */
    note(changes: readonly Log[]): void {
      for (const log of changes) recent.add(signerOf(log));
      if (changes.length > 0) isOld = true;
    },

    /** Reads the signers that are listed now; returns those of the last reading if nothing has changed since. */
    async read(isNew: boolean): Promise<readonly string[]> {
      if (!isNew && !isOld) return current;
      const read = await readAt(await requireHeader(node, "latest"));
      if (read === undefined)
        throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
      for (const signer of current) if (!read.includes(signer)) teller.tell({ event: "removed", signer });
      [current, isOld] = [read, false];
      return read;
    },
  };
}
