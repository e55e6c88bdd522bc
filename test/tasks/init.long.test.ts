import { globSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { type AddedConsumer, addConsumer } from "../../tasks/internal/init/addConsumer.ts";
import type { RunningStack } from "../../tasks/internal/stack/running.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { cleanEnvironment, hardhatCommand } from "../fixtures/tasks/hardhat.ts";

/** The findings of the compiler and of a typed linter about tests: errors, and promises that are not awaited. */
function check(names: readonly string[], folder: string): string[] {
  const files = names.map((name) => join(folder, name));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node", "mocha"],
    typeRoots: [join(folder, "node_modules/@types")],
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

describe("identity init", function () {
  this.timeout(300_000);

  function fixture(toolbox: "mocha-ethers" | "viem") {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-${toolbox}";
import { configVariable, defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} },
  networks: { local: { type: "http", url: configVariable("LOCAL_URL") } },
});
`,
    );
    /** Runs a task there that has to succeed; answers what it printed. */
    async function run(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await project.hardhat(args);
      expect(code, `${args.join(" ")}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    }
    /** Runs the task's function, without a process. */
    const add = (kind: string): AddedConsumer =>
      addConsumer({
        kind,
        name: undefined,
        toolbox: toolbox === "viem" ? "viem" : "ethers",
        folders: {
          root: project.folder,
          sources: [join(project.folder, "contracts")],
          tests: join(project.folder, "test"),
          solidityTests: join(project.folder, "test"),
          ignition: join(project.folder, "ignition"),
        },
      });
    return { project, run, add };
  }

  for (const toolbox of ["mocha-ethers", "viem"] as const) {
    it(`adds consumers with ${toolbox} that pass their tests, the strictest TypeScript and the linter, and deploy`, async () => {
      const { project, run, add } = fixture(toolbox);
      await run("identity", "init");
      const names = ["Airdrop", ...["mint", "deposit", "vote"].map((kind) => add(kind).contract)];
      // Four tests in TypeScript and ten in Solidity for each.
      expect(await run("test")).to.match(/\b56 passing \(40 solidity, 16 /);
      // As the guide to testing has it in `include` for viem.
      const types = globSync("{artifacts/**/*.d.ts,types/**/*.ts}", { cwd: project.folder });
      const files = [...names.map((name) => `test/${name}.ts`), "hardhat.config.ts", ...types];
      expect(check(files, project.folder)).to.deep.equal([]);
      const { consumers, findings } = JSON.parse(await run("identity", "policy", "--json"));
      expect(consumers).to.have.length(names.length);
      expect(findings).to.deep.equal([]);

      const ports = ["--rpc-port", "0", "--port", "0"];
      const dev = startProcess(
        ...hardhatCommand(["identity", "dev", ...ports, "--deploy", names.join(","), "--json"]),
        { cwd: project.folder, env: cleanEnvironment() },
      );
      const ready: RunningStack = JSON.parse(await dev.waitFor(/^\{"rpcUrl".*\}$/m));
      expect(Object.keys(ready.consumers)).to.include.members(names);
      const { code, stdout, stderr } = await project.hardhat(
        [
          "ignition",
          "deploy",
          "ignition/modules/Airdrop.ts",
          "--network",
          "local",
          "--parameters",
          JSON.stringify({ Airdrop: { registry: ready.registry } }),
        ],
        { LOCAL_URL: ready.rpcUrl, HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "false" },
      );
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/^Airdrop#Airdrop - 0x\w{40}$/m);
      expect(await dev.stop()).to.equal(0);
    });
  }
});
