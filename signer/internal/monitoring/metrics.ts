import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { serviceErrors } from "../../../protocol/errors.ts";
import type { ReadinessReport } from "../../../protocol/health.ts";
import type { StoreConnections } from "../database/database.ts";
import { release } from "./release.ts";

/** Seconds; from a read of a file to the longest that a request may take. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What may come of a request for a verification. The other codes are those of other paths and methods. */
const results = ["issued", "aborted", ...Object.keys(serviceErrors)].filter(
  (result) => result !== "not_found" && result !== "method_not_allowed",
);

/** What the service counts, for Prometheus. A label is a word of ours, never one that a client sent. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const ready = new Gauge({
    name: "identity_ready",
    help: "Whether each thing that the service needs is as it must be: 1, or 0.",
    labelNames: ["check"],
    registers,
  });
  new Gauge({
    name: "identity_build_info",
    help: "Which release runs.",
    labelNames: ["version"],
    registers,
  }).set({ version: release }, 1);
  const latestBlock = new Gauge({
    name: "identity_chain_latest_block_timestamp_seconds",
    help: "When the latest block was that the node knows, unix seconds; 0 until it was asked.",
    registers,
  });
  const clockAhead = new Gauge({
    name: "identity_clock_ahead_seconds",
    help: "By how much this machine's clock was ahead of the node's latest block as it was last asked, seconds; behind it where negative.",
    registers,
  });
  let readConnections: () => Promise<StoreConnections | undefined> = async () => undefined;
  const waitingForConnection = new Gauge({
    name: "identity_store_waiting",
    help: "Calls of the store that wait for a connection to PostgreSQL.",
    registers,
  });
  const maxConnections = new Gauge({
    name: "identity_store_connections_max",
    help: "How many connections to PostgreSQL there may be.",
    registers,
  });
  const connections = new Gauge({
    name: "identity_store_connections",
    help: "Connections to PostgreSQL, by whether they are in use.",
    labelNames: ["state"],
    registers,
  });
  async function tellConnections(): Promise<void> {
    const found = await readConnections();
    if (found === undefined) return;
    connections.set({ state: "busy" }, found.busy);
    connections.set({ state: "idle" }, found.idle);
    waitingForConnection.set(found.waiting);
    maxConnections.set(found.max);
  }
  const metrics = {
    signers: new Gauge({
      name: "identity_signer",
      help: "Whether each signer that the service has the key of is the one that signs: 1, or 0.",
      labelNames: ["signer"],
      registers,
    }),
    latestBlock,
    clockAhead,
    verifications: new Counter({
      name: "identity_verifications_total",
      help: "Requests for a verification, by what came of them.",
      labelNames: ["result"],
      registers,
    }),
    requests: new Histogram({
      name: "identity_http_request_duration_seconds",
      help: "Requests, by route and status.",
      labelNames: ["route", "status"],
      buckets,
      registers,
    }),
    roundTrips: new Histogram({
      name: "identity_chain_round_trip_duration_seconds",
      help: "Round trips to the node, by outcome.",
      labelNames: ["outcome"],
      buckets,
      registers,
    }),
    storeCalls: new Histogram({
      name: "identity_store_call_duration_seconds",
      help: "Calls of the credential store, by operation and outcome.",
      labelNames: ["operation", "outcome"],
      buckets,
      registers,
    }),
    waiting: new Gauge({
      name: "identity_queue_waiting",
      help: "What waits for its turn: requests, and what the node is to be asked with much gas.",
      labelNames: ["queue"],
      registers,
    }),
    overloads: new Counter({
      name: "identity_queue_refused_total",
      help: "What was refused because too much waited, or it waited too long.",
      labelNames: ["queue"],
      registers,
    }),
    limitedRequests: new Counter({
      name: "identity_rate_limited_total",
      help: "Requests that were refused because they were too many, by the limit.",
      labelNames: ["limit"],
      registers,
    }),
    signIns: new Counter({
      name: "identity_provider_sign_ins_total",
      help: "Sign-ins at providers, by outcome.",
      labelNames: ["provider", "outcome"],
      registers,
    }),
    auditProblems: new Counter({
      name: "identity_audit_problems_total",
      help: "What this process found in the audit trail that does not hold.",
      registers,
    }),
  };
  // Else the first of a kind would be no increase to Prometheus, which knows no zero before it.
  for (const result of results) metrics.verifications.inc({ result }, 0);
  for (const outcome of ["answered", "failed"]) metrics.roundTrips.zero({ outcome });
  const everything = Registry.merge([registry, processRegistry()]);
  return {
    ...metrics,
    contentType: everything.contentType,
    /** In Prometheus's text format. */
    async render({ checks }: ReadinessReport): Promise<string> {
      await tellConnections();
      for (const [check, { ok }] of Object.entries(checks)) ready.set({ check }, ok ? 1 : 0);
      return await everything.metrics();
    },
    /** Says where to read what the store's connections are at. */
    watchConnections(read: typeof readConnections) {
      readConnections = read;
    },
  };
}

let ofProcess: Registry | undefined;

/** What the process uses. Its observers cannot be taken off, so there is one for all services of a process. */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
