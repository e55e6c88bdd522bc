import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { solcPath } from "../fixtures/packages/freshProject.ts";
import { npmProject } from "../fixtures/packages/npmProject.ts";

const snippets = readSnippets("docs/getting-started.md");

/** The commands that the guide has for Yarn. */
const commands = snippets
  .filter(({ tab }) => tab === "yarn")
  .map(({ text }) => text)
  .join("");

describe("identity init with Yarn", function () {
  this.timeout(600_000);

  it("adds a consumer, a test and a workflow that pass, by the guide's commands", async () => {
    const { folder, write, run, settings } = await npmProject();
    const env = {
      HOME: join(folder, ".home"),
      YARN_CACHE_FOLDER: join(folder, ".home/cache"),
      YARN_REGISTRY: settings.npm_config_registry,
      // The registry here stands in for npm's, to which Yarn 1 otherwise leads.
      npm_config_registry: settings.npm_config_registry,
    };
    async function succeed(line: string, at = "."): Promise<string> {
      const { code, stdout, stderr } = await run("bash", ["-ec", `cd '${at}'\n${line}`], env);
      expect(code, `${line}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    }
    // What comes from this repository's modules has been through its install scripts.
    write(".yarnrc", "--add.ignore-scripts true\n--install.ignore-scripts true\n");
    write(".gitignore", "node_modules\n.home\n.npm\nartifacts\ncache\ntypes\n");
    const config = snippets.find(({ language, tab }) => language === "ts" && tab === "ethers")?.text ?? "";
    const compiler = `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
    write("hardhat.config.ts", config.replace('"0.8.37"', compiler));
    await succeed("git init --quiet --initial-branch main");

    const outputs: string[] = [];
    for (const command of splitCommands(commands)) outputs.push(await succeed(command));
    expect(outputs.join("\n")).to.include("\n  yarn hardhat test\n");
    expect(existsSync(join(folder, "yarn.lock"))).to.equal(true);
    const { jobs } = parse(readFileSync(join(folder, ".github/workflows/identity.yml"), "utf8"));
    const steps: { run?: string }[] = jobs.test.steps;
    const lines = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(lines[0]).to.equal("corepack enable && yarn install --frozen-lockfile");

    await succeed("git add . && git -c user.name=A -c user.email=a@example.com commit --quiet -m Contracts");
    await succeed("git clone --quiet . .home/checkout");
    const ran: string[] = [];
    for (const line of lines) {
      // Corepack would fetch what is installed here.
      ran.push(await succeed(line.replace("corepack enable && ", ""), ".home/checkout"));
    }
    expect(ran.join("\n"))
      .to.match(/\b3 passing/)
      .and.include("1 consumer checked");
  });
});
