import type { OpenStore } from "../database/operateStore.ts";
import type { Logger } from "../logger.ts";
import { enforceRetention } from "./retention.ts";
import { openAuditRows } from "./rows.ts";
import { createSequenceSeal } from "./sequence.ts";
import { type AuditTrail, openTrail, type TrailWatch } from "./trail.ts";

/** The options of a process's audit trail. */
export interface AuditOptions {
  /** Days after which the process removes entries of every process. If left out, it removes none. */
  readonly retention?: number;
  /** Logs the last row from time to time, and every failure. */
  readonly logger?: Pick<Logger, "info" | "error">;
  /** Called for each thing that does not hold. */
  readonly onProblem?: () => void;
}

/** Opens the audit trail of a store. The sequence of this process begins with the first entry. */
export function openAudit(
  { database, identity }: OpenStore,
  masterSecret: Uint8Array,
  confirmClock: () => Promise<void>,
  { retention, logger, onProblem: countProblem }: AuditOptions,
): AuditTrail {
  const seal = createSequenceSeal(masterSecret, identity);
  const rows = openAuditRows(database);
  const watch: TrailWatch = {
    logger,
    onProblem(problem) {
      countProblem?.();
      logger?.error({ problem }, "The audit trail does not hold.");
    },
  };
  const trail = openTrail(rows, seal, watch);
  const keeper =
    retention === undefined ? undefined : enforceRetention(rows, seal, retention, confirmClock, watch);
  return {
    ...trail,
    async close() {
      await keeper?.stop();
      await trail.close();
    },
  };
}
