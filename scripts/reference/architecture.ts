import { readFileSync } from "node:fs";

interface Box {
  readonly folder: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

const size = { width: 960, box: 168, height: 62, row: 112, top: 24 };

/** Draws the packages in layers: each stands on those that it needs, as their manifests say. */
export async function drawPackages(): Promise<string> {
  const rules = await import(new URL("../../.dependency-cruiser.mjs", import.meta.url).href);
  const uses: Readonly<Record<string, readonly string[]>> = rules.uses;
  const depths = new Map<string, number>();
  function depthOf(folder: string): number {
    const known = depths.get(folder);
    if (known !== undefined) return known;
    const depth = Math.max(-1, ...(uses[folder] ?? []).map(depthOf)) + 1;
    depths.set(folder, depth);
    return depth;
  }
  const folders = Object.keys(uses).sort();
  const highest = Math.max(...folders.map(depthOf));
  const boxes = folders.map((folder): Box => {
    const row = folders.filter((other) => depthOf(other) === depthOf(folder));
    const gap = size.width / row.length;
    const { name } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return {
      folder,
      name,
      x: gap * (row.indexOf(folder) + 0.5),
      y: size.top + (highest - depthOf(folder)) * size.row,
    };
  });
  const find = (folder: string) => boxes.find((box) => box.folder === folder) as Box;
  const reaches = (from: string, to: string): boolean =>
    (uses[from] ?? []).some((next) => next === to || reaches(next, to));
  // Without the arrows that others imply.
  const arrows = boxes.flatMap((upper) => {
    const below = uses[upper.folder] ?? [];
    return below
      .filter((lower) => !below.some((other) => other !== lower && reaches(other, lower)))
      .map((lower) => drawArrow(upper, find(lower)));
  });
  const height = size.top * 2 + highest * size.row + size.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="title" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="14">
  <title id="title">The packages in layers. Each stands on the packages that it needs; the list below the picture names them.</title>
  <style>
    .page { fill: #ffffff }
    .box { fill: #fbfbfa; stroke: #555f6a; stroke-width: 1.5 }
    .name { fill: #1c2126; font-weight: 600 }
    .folder { fill: #555f6a; font-size: 13px }
    .use { stroke: #a4aeb8; stroke-width: 1.5; fill: none }
    .tip { fill: #a4aeb8 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #15181b }
      .box { fill: #1d2125; stroke: #a4aeb8 }
      .name { fill: #e7eaed }
      .folder { fill: #a4aeb8 }
    }
  </style>
  <defs>
    <marker id="use" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
      <path class="tip" d="M0 0 L10 5 L0 10 z" />
    </marker>
  </defs>
  <rect class="page" width="${size.width}" height="${height}" rx="8" />
${arrows.concat(boxes.map(drawBox)).join("\n")}
</svg>
`;
}

function drawBox({ folder, name, x, y }: Box): string {
  const [scope, rest] = name.startsWith("@") ? name.split("/") : ["", name];
  const left = x - size.box / 2;
  return `  <rect class="box" x="${left}" y="${y}" width="${size.box}" height="${size.height}" rx="8" />
  <text class="name" x="${x}" y="${y + 26}" text-anchor="middle">${scope === "" ? rest : `…/${rest}`}</text>
  <text class="folder" x="${x}" y="${y + 47}" text-anchor="middle">${folder}/</text>`;
}

function drawArrow(upper: Box, lower: Box): string {
  const [from, to] = [upper.y + size.height, lower.y];
  return `  <path class="use" marker-end="url(#use)" d="M${upper.x} ${from} C ${upper.x} ${from + 40}, ${lower.x} ${to - 40}, ${lower.x} ${to}" />`;
}
