import { globSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { addConsumer } from "../../tasks/internal/init/addConsumer.ts";
import { freshProject, solcPath } from "../fixtures/packages/freshProject.ts";

/** What the compiler, and a linter that knows its types, say of tests: faults, and promises that nobody waits for. */
function check(files: readonly string[], folder: string): string[] {
  const program = ts.createProgram([...files], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    ...{
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noUnusedLocals: true,
    },
    ...{ noEmit: true, skipLibCheck: true },
    ...{ types: ["node", "mocha"], typeRoots: [join(folder, "node_modules/@types")] },
  });
  const checker = program.getTypeChecker();
  const said = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) && checker.getTypeAtLocation(node.expression).getProperty("then")) {
      said.push(`Nobody waits for ${node.getText().split("\n")[0]}`);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) ts.forEachChild(program.getSourceFile(file) ?? expect.fail(file), visit);
  return said;
}

describe("The tests that identity init writes", function () {
  this.timeout(300_000);

  for (const toolbox of ["ethers", "viem"] as const) {
    it(`pass TypeScript and a linter with the strictest settings, with ${toolbox}`, async () => {
      const { folder, write, hardhat } = freshProject();
      const name = `@nomicfoundation/hardhat-toolbox-${toolbox === "ethers" ? "mocha-ethers" : "viem"}`;
      write(
        "hardhat.config.ts",
        `import toolbox from "${name}";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

const solidity = { version: "0.8.37", path: ${JSON.stringify(solcPath)} };
export default defineConfig({ plugins: [toolbox, hardhatIdentity], solidity });
`,
      );
      const added: string[] = [];
      for (const kind of ["claim", "mint", "deposit", "vote"]) {
        const { written } = await addConsumer({
          ...{ kind, name: undefined, toolbox },
          folders: {
            root: folder,
            sources: [join(folder, "contracts")],
            tests: join(folder, "test"),
            ignition: join(folder, "ignition"),
          },
          mayReplace: async () => false,
        });
        added.push(...written.filter((file) => file.startsWith("test/")));
      }
      expect(added).to.have.length(4);
      // It writes the contracts' types.
      const { code, stdout, stderr } = await hardhat(["build"]);
      expect(code, stdout + stderr).to.equal(0);
      // As the guide to testing has it in `include` for viem.
      const types = globSync("{artifacts/**/*.d.ts,types/**/*.ts}", { cwd: folder });
      const files = [...added, "hardhat.config.ts", ...types].map((file) => join(folder, file));
      expect(check(files, folder)).to.deep.equal([]);
    });
  }
});
