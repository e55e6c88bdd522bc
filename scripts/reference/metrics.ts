import type { Registry } from "prom-client";
import { createWatchMetrics } from "../../packages/operator/watch/telling/metrics.ts";
import { createMetrics } from "../../signer/internal/monitoring/metrics.ts";

/** Describes every metric of the service and of the watch, from the one place where each is made. */
export async function describeMetrics(): Promise<string> {
  return `# Metrics

## The service

At \`GET /metrics\`, with the metrics of the process (\`process_*\`, \`nodejs_*\`). Labels are in parentheses.
A \`_total\` is a counter, a \`_duration_seconds\` a histogram, all else a gauge.

${list(createMetrics().registry)}

## The watch

At \`GET /metrics\` of the port \`IDENTITY_METRICS_PORT\`.

${list(createWatchMetrics().registry)}
`;
}

function list(registry: Registry | undefined): string {
  const metrics = (registry?.getMetricsAsArray() ?? []) as unknown as {
    name: string;
    help: string;
    labelNames: string[];
  }[];
  const own = metrics.filter(({ name }) => name.startsWith("identity_"));
  const items = own.map(({ name, help, labelNames: labels }) => {
    const by = labels.length === 0 ? "" : ` (${labels.map((label) => `\`${label}\``).join(", ")})`;
    return `- \`${name}\`${by}: ${help}`;
  });
  return items.join("\n");
}
