import { serviceErrors } from "@hardhat-identity/protocol/errors";
import type { ReadinessReport } from "@hardhat-identity/protocol/health";
import type { StoreConnections } from "@hardhat-identity/store/database/database";
import { findPackage } from "@hardhat-identity/store/files/optionalPackage";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import { release } from "../../release.ts";
import { countLostLines } from "./logWriter.ts";

/** In seconds, from the read of a file to the longest time that a request may take. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The results of a request for a verification. The other codes are those of other paths and methods. */
const results = ["issued", "aborted", ...Object.keys(serviceErrors)].filter(
  (result) => result !== "not_found" && result !== "method_not_allowed",
);

/** The service's metrics, for Prometheus. Label values are the service's own, never text that a client sent. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Makes single metrics. */
function createMakers() {
  const prometheus = findPackage<typeof import("prom-client")>("prom-client", import.meta.url);
  const registry = prometheus && new prometheus.Registry();
  const registers = registry ? [registry] : [];
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    prometheus
      ? new prometheus.Gauge<Label>({ name, help, labelNames, registers })
      : (uncounted as Gauge<Label>);
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    prometheus
      ? new prometheus.Counter<Label>({ name, help, labelNames, registers })
      : (uncounted as Counter<Label>);
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    prometheus
      ? new prometheus.Histogram<Label>({ name, help, labelNames, buckets, registers })
      : (uncounted as Histogram<Label>);
  return {
    gauge,
    counter,
    histogram,
    /** Returns the metrics made so far, with those of the process; `undefined` if nothing is counted. */
    merge: () => prometheus && registry && prometheus.Registry.merge([registry, processRegistry(prometheus)]),
  };
}

type Makers = ReturnType<typeof createMakers>;

/** Metrics that count nothing if the package `prom-client` is not installed. */
export function createMetrics() {
  const makers = createMakers();
  const shown = createShown(makers);
  const counted = createCounted(makers);
  const everything = makers.merge();
  return {
    ...counted,
    /** `undefined` if nothing is counted. */
    registry: everything,
    /** Renders the metrics in Prometheus's text format. */
    async render(
      { checks }: ReadinessReport,
      store: { connections(): Promise<StoreConnections | undefined>; isEmpty(): Promise<boolean> },
    ): Promise<string> {
      const isEmpty = checks.store?.ok ? await store.isEmpty().catch(() => undefined) : undefined;
      shown.show(checks, await store.connections(), isEmpty);
      return (await everything?.metrics()) ?? "";
    },
  };
}

/** The metrics that are read when they are rendered. */
function createShown({ gauge }: Makers) {
  const ready = gauge("identity_ready", "Whether each check of `/readyz` is ok: 1 or 0.", "check");
  gauge("identity_build_info", "The running release.", "version").set({ version: release }, 1);
  const credentialsPresent = gauge(
    "identity_store_credentials_present",
    "Whether the database has a credential: 1 or 0. Missing while the database does not answer.",
  );
  const waitingForConnection = gauge(
    "identity_store_waiting",
    "Database calls that wait for a connection to PostgreSQL.",
  );
  const maxConnections = gauge(
    "identity_store_connections_max",
    "The most connections that the process opens to PostgreSQL.",
  );
  const connections = gauge(
    "identity_store_connections",
    "Connections to PostgreSQL, by state: `busy` or `idle`.",
    "state",
  );
  return {
    show(
      checks: ReadinessReport["checks"],
      found: StoreConnections | undefined,
      isEmpty: boolean | undefined,
    ): void {
      if (found !== undefined) {
        connections.set({ state: "busy" }, found.busy);
        connections.set({ state: "idle" }, found.idle);
        waitingForConnection.set(found.waiting);
        maxConnections.set(found.max);
      }
      if (isEmpty === undefined) credentialsPresent.remove();
      else credentialsPresent.set(isEmpty ? 0 : 1);
      for (const [check, { ok }] of Object.entries(checks)) ready.set({ check }, ok ? 1 : 0);
    },
  };
}

/** The metrics that the parts of the service set and count. */
function createCounted({ gauge, counter, histogram }: Makers) {
  const metrics = {
    signers: gauge("identity_signer", "Whether each configured signer is the active one: 1 or 0.", "signer"),
    latestBlock: gauge(
      "identity_chain_latest_block_timestamp_seconds",
      "The timestamp of the node's latest block, unix seconds; 0 until it is first read.",
    ),
    clockAhead: gauge(
      "identity_clock_ahead_seconds",
      "Seconds by which this machine's clock was ahead of the node's latest block at the last reading; negative if behind.",
    ),
    verifications: counter(
      "identity_verifications_total",
      "Requests for a verification, by result: `issued`, the error's code, or `aborted` by the client.",
      "result",
    ),
    requests: histogram(
      "identity_http_request_duration_seconds",
      "Requests, by route (`none` for unknown paths and static files) and status.",
      "route",
      "status",
    ),
    roundTrips: histogram(
      "identity_chain_round_trip_duration_seconds",
      "Round trips to the node, by outcome: `answered` or `failed`.",
      "outcome",
    ),
    storeCalls: histogram(
      "identity_store_call_duration_seconds",
      "Database calls, by operation and outcome: `done` or `failed`.",
      "operation",
      "outcome",
    ),
    waiting: gauge(
      "identity_queue_waiting",
      "Jobs waiting for their turn: `requests`, or calls that use the node's `gas`.",
      "queue",
    ),
    overloads: counter(
      "identity_queue_refused_total",
      "Jobs refused because too many were waiting, or they waited too long.",
      "queue",
    ),
    limitedRequests: counter(
      "identity_rate_limited_total",
      "Requests and connections refused because there were too many, by limit.",
      "limit",
    ),
    signIns: counter(
      "identity_provider_sign_ins_total",
      "Sign-ins at providers, by outcome: `proven`, or the failure's reason.",
      "provider",
      "outcome",
    ),
    auditProblems: counter(
      "identity_audit_problems_total",
      "Wrong or missing rows that the process found in the audit trail.",
    ),
  };
  // Creates every label at 0, so that Prometheus's `rate()` sees the first increment.
  for (const result of results) metrics.verifications.inc({ result }, 0);
  for (const outcome of ["answered", "failed"]) metrics.roundTrips.zero({ outcome });
  return metrics;
}

const ignore = () => undefined;
/** In place of a counter, a gauge or a histogram. */
const uncounted: unknown = {
  inc: ignore,
  set: ignore,
  observe: ignore,
  zero: ignore,
  remove: ignore,
  labels: () => uncounted,
};

let ofProcess: Registry | undefined;

/** Returns the metrics of the process. Their observers cannot be removed, so all services of a process share them. */
function processRegistry(prometheus: typeof import("prom-client")): Registry {
  if (ofProcess === undefined) {
    ofProcess = new prometheus.Registry();
    prometheus.collectDefaultMetrics({ register: ofProcess });
    new prometheus.Counter({
      name: "identity_log_lines_lost_total",
      help: "Lines of the log that could not be written.",
      registers: [ofProcess],
      collect() {
        this.reset();
        this.inc(countLostLines());
      },
    });
  }
  return ofProcess;
}
