import { execFileSync } from "node:child_process";
import { readSnippetFile } from "../../fixtures/markdown.ts";
import { freshProject } from "../../fixtures/packages/freshProject.ts";
import { cleanEnvironment } from "../../fixtures/tasks/hardhat.ts";

describe("docs/verify-page.md, for somebody else", () => {
  it("has an app's code that compiles in a project of somebody else's", () => {
    const project = freshProject();
    project.write("app.ts", `${readSnippetFile("docs/verify-page.md", "app.ts")}\nexport { goAndVerify };\n`);
    const compilerOptions = {
      target: "es2023",
      lib: ["es2023", "dom"],
      types: [],
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      noEmit: true,
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["app.ts"] }));
    execFileSync("tsc", ["-p", project.folder], { env: cleanEnvironment() });
  }).timeout(120_000);
});
