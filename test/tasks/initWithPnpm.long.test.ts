import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { solcPath } from "../fixtures/packages/freshProject.ts";
import { npmProject } from "../fixtures/packages/npmProject.ts";

const snippets = readSnippets("docs/getting-started.md");
const manager = JSON.parse(
  readFileSync(new URL("../../node_modules/pnpm/package.json", import.meta.url), "utf8"),
);

/** The guide's file of pnpm's settings, and its commands for pnpm. */
const settings = snippets.find(({ language }) => language === "yaml")?.text ?? "";
const commands = snippets
  .filter(({ tab }) => tab === "pnpm")
  .map(({ text }) => text)
  .join("");

/** The package of each toolbox, and what the written files import besides. */
const toolboxes = {
  ethers: { toolbox: "mocha-ethers", imported: ["chai", "@nomicfoundation/hardhat-ignition"] },
  viem: { toolbox: "viem", imported: ["@nomicfoundation/hardhat-ignition"] },
};

describe("identity init with pnpm", function () {
  this.timeout(600_000);

  for (const [library, { toolbox, imported }] of Object.entries(toolboxes)) {
    it(`adds the imported packages, and a workflow at the workspace's root whose steps pass: ${library}`, async () => {
      const { folder, write, run } = await npmProject({ packageManager: `pnpm@${manager.version}` });
      const env = {
        HOME: join(folder, ".home"),
        GIT_CONFIG_SYSTEM: "/dev/null",
        // The registry here has the newest alone, and nothing of it asks for another.
        pnpm_config_pm_on_fail: "ignore",
      };
      async function succeed(commands: string, at = "."): Promise<string> {
        const { code, stdout, stderr } = await run("bash", ["-ec", `cd '${at}'\n${commands}`], env);
        expect(code, `${commands}\n${stdout}${stderr}`).to.equal(0);
        return stdout;
      }
      const project = "packages/contracts";
      write("pnpm-workspace.yaml", `${settings.replace(/^#.*\n/, "")}packages: ["packages/*"]\n`);
      write(".gitignore", "node_modules\n.home\n.npm\nartifacts\ncache\ntypes\n");
      write(`${project}/package.json`, JSON.stringify({ name: "contracts", private: true, type: "module" }));
      const config = snippets.find(({ language, tab }) => language === "ts" && tab === library)?.text ?? "";
      const compiler = `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
      write(`${project}/hardhat.config.ts`, config.replace('"0.8.37"', compiler));
      await succeed("git init --quiet --initial-branch main");

      const [install = "", init = ""] = splitCommands(commands);
      await succeed(install.replace("toolbox-mocha-ethers", `toolbox-${toolbox}`), project);
      const refused = await run("bash", ["-c", `cd ${project}; ${init.replace(" --install", "")}`], env);
      expect(refused.stdout + refused.stderr).to.include(
        `not installed in this project: ${imported.join(", ")}. Run this, or add --install: ` +
          `pnpm add --save-dev ${imported.join(" ")}`,
      );
      const file = ".github/workflows/identity-packages-contracts.yml";
      const added = await succeed(init, project);
      expect(added).to.include(`Wrote ../../${file}\n`).and.include("\n  pnpm hardhat test\n");

      await succeed(
        "git add . && git -c user.name=A -c user.email=a@example.com commit --quiet -m Contracts",
      );
      await succeed("git clone --quiet . .home/checkout");
      const { jobs } = parse(readFileSync(join(folder, file), "utf8"));
      const steps: { run?: string; "working-directory"?: string }[] = jobs.test.steps;
      const outputs: string[] = [];
      for (const {
        run: commands,
        "working-directory": at = jobs.test.defaults.run["working-directory"],
      } of steps) {
        // Corepack would fetch what is installed here.
        const command = commands?.replace("corepack enable && ", "");
        if (command !== undefined) outputs.push(await succeed(command, join(".home/checkout", at)));
      }
      expect(outputs.join("\n"))
        .to.match(/\b3 passing/)
        .and.include("1 consumer checked");
    });
  }
});
