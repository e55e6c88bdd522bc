import { createServer } from "node:http";
import { listen } from "@hardhat-identity/signer/settings";
import { Counter, Gauge, Registry } from "prom-client";
import { type Finding, isProven } from "../judging/findings.ts";

export type WatchMetrics = ReturnType<typeof createWatchMetrics>;

/** The metrics of a watch, for Prometheus. */
export function createWatchMetrics() {
  const registry = new Registry();
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const forged = gauge(
    "identity_watch_forged_claims",
    "Forged claims found within a day: a signature of yours, or a consumer that you named, proves them.",
  );
  const unsigned = gauge(
    "identity_watch_unattributed_claims",
    "Forged claims without a signature within a day, at contracts for which you have signed, and that you did not name.",
  );
  const unproven = gauge(
    "identity_watch_unproven_claims",
    "Claims without a signature within a day, at contracts that nobody knows: anyone can cause them.",
  );
  const strangers = gauge(
    "identity_watch_unknown_signers",
    "Signers that were added within a day, and are not yours.",
  );
  const judged = gauge(
    "identity_watch_judged_timestamp_seconds",
    "The timestamp of the newest block that was judged, unix seconds; 0 until one is.",
  );
  const canBrake = gauge(
    "identity_watch_can_brake",
    "Whether the guardian could remove a signer: 1 or 0; always 0 without --brake.",
  );
  const judgedInPart = new Counter({
    name: "identity_watch_judged_in_part_total",
    help: "Reports of blocks in which some events were not judged.",
    registers: [registry],
  });
  return {
    judged,
    judgedInPart,
    canBrake,
    registry,
    /** @param named Consumers whose word proves a claim. */
    count(findings: readonly Finding[], named: ReadonlySet<string>) {
      const numberOf = (isIt: (finding: Finding) => boolean) => findings.filter(isIt).length;
      forged.set(numberOf((finding) => isProven(finding, named)));
      unsigned.set(numberOf((finding) => finding.kind === "forged" && !isProven(finding, named)));
      unproven.set(numberOf(({ kind }) => kind === "unproven"));
      strangers.set(numberOf(({ kind }) => kind === "stranger"));
    },
    /** Serves them at `/metrics`, and returns what ends that. */
    async serve(place: { host: string; port: number }): Promise<() => void> {
      const server = createServer(async (request, response) => {
        if (request.url !== "/metrics") return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": registry.contentType }).end(await registry.metrics());
      });
      await listen(server, place, "IDENTITY_METRICS");
      return () => server.close().closeAllConnections();
    },
  };
}
