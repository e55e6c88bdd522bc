import type { Brake } from "./brake.ts";
import { type Finding, isProven, unattributed } from "./judging/findings.ts";
import type { JudgeOptions } from "./judging/judge.ts";
import type { WatchMetrics } from "./telling/metrics.ts";
import type { Teller } from "./telling/teller.ts";

/** Milliseconds after which the brake is tried again. */
const checkEveryMs = 60_000;

/**
 * Acts on findings: tells, counts, and removes the signers of forged claims from the allowlist.
 *
 * @param options.readAllowlist Reads the allowlist now, or as it was where nothing changed.
 * @param options.consumers Those at which a forged claim that cannot be attributed is held against all signers.
 * @param options.others Signers of other services, which are left alone. An unattributed claim may be theirs.
 * @returns Acts on all findings so far.
 */
export function openActing(
  options: Pick<JudgeOptions, "consumers" | "others"> & {
    readonly all: () => readonly Finding[];
    readonly readAllowlist: (isNew: boolean) => Promise<readonly string[]>;
    /** Opens the brake, or throws why it cannot: its key may be away for a while. */
    readonly openBrake: (() => Promise<Brake>) | undefined;
    readonly teller: Teller;
    readonly metrics: WatchMetrics;
  },
): () => Promise<void> {
  const { all, readAllowlist, openBrake, consumers, others, teller, metrics } = options;
  let [nextCheck, nextTry] = [0, 0];

  /** Whether a signer may have to be removed for a finding. */
  const mayBrake = (finding: Finding) =>
    isProven(finding, consumers) &&
    !finding.isBraked &&
    (finding.signer !== unattributed || others.size === 0);

  /** Removes the signers of forged claims, or checks from time to time that it could. */
  async function brake(openBrake: () => Promise<Brake>): Promise<void> {
    const due = all().filter(mayBrake);
    const allowlist = await readAllowlist(due.length > 0);
    const culprits = new Set<string>();
    for (const finding of due) {
      const listed = allowlist.filter((each) => finding.signer === unattributed || finding.signer === each);
      for (const signer of listed) culprits.add(signer);
      finding.isBraked = listed.length === 0;
    }
    const signers = [...culprits];
    if (signers.length > 0) {
      const transactions = await (await openBrake()).remove(signers);
      if (transactions.length > 0) teller.tell({ event: "brake-sent", signers, transactions });
    } else if (performance.now() >= nextCheck && allowlist[0] !== undefined) {
      nextCheck = performance.now() + checkEveryMs;
      await (await openBrake()).check(allowlist[0]);
      metrics.canBrake.set(1);
    }
    teller.endTrouble("cannot-brake");
  }

  return async () => {
    // First: it waits for nothing.
    for (const finding of all()) {
      if (finding.isTold) continue;
      finding.isTold = true;
      finding.isPosting = true;
      teller.tell({ event: finding.kind, finding }, () => {
        finding.isPosting = false;
      });
    }
    metrics.count(all(), consumers);
    const began = performance.now();
    if (openBrake === undefined || began < nextTry) return;
    await brake(openBrake).catch((error: unknown) => {
      metrics.canBrake.set(0);
      teller.trouble("cannot-brake", error);
      // As long as it took: a key that does not answer must not take all of the watch's time.
      const failedAt = performance.now();
      nextTry = failedAt + (failedAt - began);
    });
  };
}
