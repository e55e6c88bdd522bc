// `npm run reference`: writes docs/reference/ from types, schemas, task definitions and NatSpec, and the picture of the
// packages from their manifests. With `--check`, it fails if the files are out of date.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { drawPackages } from "./reference/architecture.ts";
import { describeClient } from "./reference/client.ts";
import { describeContracts } from "./reference/contracts.ts";
import { describeHttp } from "./reference/http.ts";
import { describeMetrics } from "./reference/metrics.ts";
import { describeSettings } from "./reference/settings.ts";
import { describeTasks } from "./reference/tasks.ts";

const pages = {
  tasks: describeTasks,
  http: describeHttp,
  settings: describeSettings,
  metrics: describeMetrics,
  contracts: describeContracts,
  client: describeClient,
};

/** Shows a `<` as it is written: outside of code, the site would take what follows for a tag. */
function escapeTags(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```$|`[^`\n]+`|</gms, (found) => (found === "<" ? "\\<" : found));
}

const check = process.argv.includes("--check");
const different: string[] = [];
mkdirSync("docs/reference", { recursive: true });
const written: [file: string, text: string][] = [["docs/images/architecture.svg", await drawPackages()]];
for (const [name, describe] of Object.entries(pages)) {
  const file = `docs/reference/${name}.md`;
  const text = await format(escapeTags(await describe()), { ...(await resolveConfig(file)), filepath: file });
  written.push([file, text]);
}
for (const [file, text] of written) {
  if (!check) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) different.push(file);
}
if (different.length > 0) {
  console.error(`Out of date: ${different.join(", ")}. Update with: npm run reference`);
  process.exitCode = 1;
}
