// `npm run build`: what the npm package ships, in dist/, laid out as the rooms are.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { buildBundles } from "../web/server/bundles.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync("hardhat", ["build", "--no-tests", "--quiet"], { stdio: "inherit" });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
// The compiler leaves the endings of dynamic imports, and of those in declarations, as they are.
for (const file of globSync("dist/**/*.{js,d.ts}")) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from |import |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}
await buildBundles("dist/web");
// The same bytecode for every project, whatever its compiler settings.
for (const artifact of globSync("artifacts/contracts/**/*.json", {
  exclude: ["artifacts/contracts/testing/**"],
})) {
  cpSync(artifact, `dist/${artifact}`);
}
