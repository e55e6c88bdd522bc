import { createMetrics, type MetricDescription } from "../../signer/internal/monitoring/metrics.ts";
import { createWatchMetrics } from "../../signer/internal/watch/metrics.ts";

/** Describes every metric of the service and of the watch, from the one place where each is made. */
export async function describeMetrics(): Promise<string> {
  return `# Metrics

## The service

At \`GET /metrics\`, with those of the process (\`process_*\`, \`nodejs_*\`). Labels stand in parentheses.

${list(createMetrics().describe())}

## The watch

At \`GET /metrics\` of the port \`IDENTITY_METRICS_PORT\`.

${list(createWatchMetrics().describe())}
`;
}

function list(metrics: readonly MetricDescription[]): string {
  const items = metrics.map(({ name, help, labels }) => {
    const by = labels.length === 0 ? "" : ` (${labels.map((label) => `\`${label}\``).join(", ")})`;
    return `- \`${name}\`${by}: ${help}`;
  });
  return items.join("\n");
}
