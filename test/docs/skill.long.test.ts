import { expect } from "chai";
import { readSnippetFile, readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { cleanEnvironment, hardhatCommand } from "../fixtures/tasks/hardhat.ts";

const page = "docs/SKILL.md";

/** The page's commands of the plugin, in order, without `npx hardhat`. */
const commands = readSnippets(page)
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => splitCommands(text))
  .filter((line) => line.startsWith("npx hardhat "))
  .map((line) => (line.match(/'[^']*'|\S+/g) ?? []).slice(2).map((word) => word.replaceAll("'", "")));

describe("The skill for coding agents, followed in an empty folder", function () {
  this.timeout(600_000);

  it("leads to a contract that is tested and attacked, and to a claim through the service", async () => {
    const project = freshProject();
    const config = readSnippetFile(page, "hardhat.config.ts");
    const compiler = `solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
    expect(config).to.include('solidity: "0.8.37"');
    // Nothing is downloaded.
    project.write("hardhat.config.ts", config.replace('solidity: "0.8.37"', compiler));
    const isDev = (args: readonly string[]) => args.includes("dev");
    const at = commands.findIndex(isDev);
    expect(commands.filter((args) => !isDev(args))).to.have.length(6);

    for (const args of commands.slice(0, at)) {
      const { code, stdout, stderr } = await project.hardhat(args);
      expect(code, `${args.join(" ")}\n${stdout}${stderr}`).to.equal(0);
      if (args.includes("init")) project.write("test/Second.ts", readSnippetFile(page, "test/Second.ts"));
      if (args[0] === "test") expect(stdout).to.include("refuses a second wallet of the same person");
      if (args.includes("attack")) expect(stdout).to.match(/^Airdrop: no fault found/m);
    }

    const free = ["--rpc-port", "0", "--port", "0", "--demo-port", "0", "--json"];
    const dev = startProcess(...hardhatCommand([...(commands[at] ?? []), ...free]), {
      cwd: project.folder,
      env: cleanEnvironment(),
    });
    await dev.waitFor(/^\{"rpcUrl".*\}$/m);
    const [set = [], request = []] = commands.slice(at + 1);
    for (const args of [set, request]) {
      const { code, stdout, stderr } = await project.hardhat(args);
      expect(code, `${args.join(" ")}\n${stdout}${stderr}`).to.equal(0);
    }
    // The same person again.
    const again = await project.hardhat(request);
    expect(again.code).to.equal(1);
    expect(again.stdout + again.stderr).to.include("IdentityAlreadyUsed");
    await dev.stop();
  });
});
