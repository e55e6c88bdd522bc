import { formatNumber, ownName, type ScenarioReport } from "./report.ts";

const line = 44;
const [labels, bars, numbers] = [156, 244, 80];

/**
 * Draws the requests per second of each server at the largest number of connections, for light and dark mode. How the
 * service does with other settings is in the tables only.
 */
export function drawBars({ rows: all, machine }: ScenarioReport): string {
  if (machine === undefined) throw new Error("The comparison does not name its machine.");
  const connections = Math.max(...all.map(({ values }) => values.connections ?? 0));
  const rows = all.filter(
    ({ name, values }) => values.connections === connections && !name.startsWith(`${ownName},`),
  );
  const rate = (row: ScenarioReport["rows"][number]) => row.values.requestsPerSecond ?? 0;
  const largest = Math.max(...rows.map(rate));
  const width = labels + bars + numbers;
  const height = rows.length * line + 76;
  const drawn = rows.map((row, i) => {
    const top = 52 + i * line;
    const length = Math.max(2, Math.round((rate(row) / largest) * bars));
    const kind = row.name === ownName ? "own" : "other";
    return `  <text class="name" x="${labels - 12}" y="${top + 20}" text-anchor="end">${escapeText(row.name)}</text>
  <rect class="${kind}" x="${labels}" y="${top}" width="${length}" height="30" rx="4" />
  <text class="number" x="${labels + length + 10}" y="${top + 20}">${formatNumber(rate(row), 0)}</text>`;
  });
  const spoken = rows.map((row) => `${row.name}: ${formatNumber(rate(row), 0)}`).join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="15">
  <title id="title">Requests per second on one core. ${escapeText(spoken)}.</title>
  <style>
    .page { fill: #ffffff }
    .name, .number { fill: #16191d }
    .number, .heading { font-weight: 600 }
    .heading { fill: #16191d; font-size: 16px }
    .note { fill: #4a545c; font-size: 12px }
    .own { fill: #1f6feb }
    .other { fill: #8a949c }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 }
      .name, .number, .heading { fill: #e6edf3 }
      .note { fill: #9da7b1 }
      .own { fill: #58a6ff }
      .other { fill: #6e7781 }
    }
  </style>
  <rect class="page" width="${width}" height="${height}" rx="8" />
  <text class="heading" x="16" y="30">Requests per second on one core</text>
${drawn.join("\n")}
  <text class="note" x="16" y="${height - 12}">${escapeText(machine.cpu)}, Node ${machine.node}, ${machine.curve} curve, ${connections} connections</text>
</svg>
`;
}

const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
