import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import {
  docstringExamples,
  guideExamples,
  runExample,
  useExampleStack,
  writeExamples,
} from "../fixtures/client/examples.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

describe("Every example of the guides to the client", function () {
  this.timeout(120_000);
  const fillIn = useExampleStack();
  let project: ReturnType<typeof freshProject>;
  before(() => {
    project = freshProject();
  });

  for (const [i, { name, text }] of guideExamples.entries()) {
    it(`runs with the packed client, and prints the output in its comments: ${name}`, async () => {
      project.write(`example${i}.ts`, fillIn(text));
      const { logged, expected } = await runExample(join(project.folder, `example${i}.ts`), text);
      expect(logged).to.deep.equal(expected);
    });
  }
});

describe("The examples of the client", () => {
  it("compile with ethers and with viem", async () => {
    const [file = ""] = writeExamples([...docstringExamples, ...guideExamples], (text) => text);
    const folder = join(file, "..");
    writeFileSync(
      join(folder, "window.d.ts"),
      'interface Window { readonly ethereum: import("../../packages/client/index.ts").Eip1193Connection }\n',
    );
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: { lib: ["es2023", "dom", "dom.iterable"], noUnusedLocals: false },
        include: ["*.ts", join(root, "hardhat.config.ts"), join(root, "typechain-types")],
      }),
    );
    const { stdout } = await promisify(execFile)("tsc", ["-p", folder]).catch((error) => error);
    expect(stdout).to.equal("");
  }).timeout(120_000);
});
