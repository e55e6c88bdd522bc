import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { npmProject } from "../fixtures/packages/npmProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";

const snippets = readSnippets("docs/getting-started.md");
const manager = JSON.parse(
  readFileSync(new URL("../../node_modules/pnpm/package.json", import.meta.url), "utf8"),
);

/** The guide's commands for a package manager. */
const commandsFor = (manager: string) =>
  splitCommands(
    snippets
      .filter(({ tab, language }) => tab === manager && language === "sh")
      .map(({ text }) => text)
      .join(""),
  );

/** The guide's file of pnpm's settings. */
const pnpmSettings = snippets.find(({ language }) => language === "yaml")?.text ?? "";

/** The package of each toolbox, and what the written files import besides. */
const toolboxes = {
  ethers: { toolbox: "mocha-ethers", imported: ["chai", "@nomicfoundation/hardhat-ignition"] },
  viem: { toolbox: "viem", imported: ["@nomicfoundation/hardhat-ignition"] },
};

describe("identity init", function () {
  this.timeout(600_000);

  /** A Git repository with the guide's configuration in a folder. */
  async function fixture(manifest: object, project: string, library: keyof typeof toolboxes) {
    const { folder, write, run, settings } = await npmProject(manifest);
    const registry = settings.npm_config_registry;
    const env = {
      HOME: join(folder, ".home"),
      GIT_CONFIG_SYSTEM: "/dev/null",
      // The registry here has the newest alone, and nothing of it asks for another.
      pnpm_config_pm_on_fail: "ignore",
      // It stands in for npm's, to which Yarn 1 otherwise leads.
      YARN_CACHE_FOLDER: join(folder, ".home/cache"),
      YARN_REGISTRY: registry,
      npm_config_registry: registry,
    };
    const tryRun = (commands: string, at = project) => run("bash", ["-ec", `cd '${at}'\n${commands}`], env);
    async function succeed(commands: string, at = project): Promise<string> {
      const { code, stdout, stderr } = await tryRun(commands, at);
      expect(code, `${commands}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    }
    write(".gitignore", "node_modules\n.home\n.npm\nartifacts\ncache\ntypes\n");
    const config = snippets.find(({ language, tab }) => language === "ts" && tab === library)?.text ?? "";
    const compiler = `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
    write(`${project}/hardhat.config.ts`, config.replace('"0.8.37"', compiler));
    await succeed("git init --quiet --initial-branch main", ".");

    /** Runs the steps of the workflow in a clone. */
    async function runWorkflow(file: string): Promise<void> {
      await succeed(
        "git add . && git -c user.name=A -c user.email=a@example.com commit --quiet -m Contracts",
        ".",
      );
      await succeed("git clone --quiet . .home/checkout", ".");
      const { test } = parse(readFileSync(join(folder, file), "utf8")).jobs;
      const steps: { run?: string; "working-directory"?: string }[] = test.steps;
      const outputs: string[] = [];
      for (const {
        run: commands,
        "working-directory": at = test.defaults?.run["working-directory"] ?? ".",
      } of steps) {
        // Corepack would fetch what is installed here.
        const command = commands?.replace("npm install --global corepack && corepack enable && ", "");
        if (command !== undefined) outputs.push(await succeed(command, join(".home/checkout", at)));
      }
      expect(outputs.join("\n"))
        .to.match(/\b14 passing \(10 solidity, 4 /)
        .and.include("1 consumer checked");
    }
    return { write, tryRun, succeed, runWorkflow };
  }

  for (const [library, { toolbox, imported }] of Object.entries(toolboxes)) {
    it(`adds with pnpm the imported packages, and a workflow at the workspace's root whose steps pass: ${library}`, async () => {
      const project = "packages/contracts";
      const manifest = { packageManager: `pnpm@${manager.version}` };
      const { write, tryRun, succeed, runWorkflow } = await fixture(
        manifest,
        project,
        library as keyof typeof toolboxes,
      );
      write("pnpm-workspace.yaml", `${pnpmSettings.replace(/^#.*\n/, "")}packages: ["packages/*"]\n`);
      write(`${project}/package.json`, JSON.stringify({ name: "contracts", private: true, type: "module" }));
      const [install = "", init = ""] = commandsFor("pnpm");
      await succeed(install.replace("toolbox-mocha-ethers", `toolbox-${toolbox}`));
      const refused = await tryRun(init.replace(" --install", ""));
      expect(refused.stdout + refused.stderr).to.include(
        `not installed in this project: ${imported.join(", ")}. Run this, or add --install: ` +
          `pnpm add --save-dev ${imported.join(" ")}`,
      );
      const file = ".github/workflows/identity-packages-contracts.yml";
      const added = await succeed(init);
      expect(added).to.include(`Wrote ../../${file}\n`).and.include("\n  pnpm hardhat test\n");
      await runWorkflow(file);
    });
  }

  it("adds with Yarn a consumer, a test and a workflow that pass, by the guide's commands", async () => {
    const { write, succeed, runWorkflow } = await fixture({}, ".", "ethers");
    // Packages copied from this repository have already run their install scripts.
    write(".yarnrc", "--add.ignore-scripts true\n--install.ignore-scripts true\n");
    const outputs: string[] = [];
    for (const command of commandsFor("yarn")) outputs.push(await succeed(command));
    expect(outputs.join("\n")).to.include("\n  yarn hardhat test\n");
    await runWorkflow(".github/workflows/identity.yml");
  });
});
