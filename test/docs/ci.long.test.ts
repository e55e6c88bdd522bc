import { expect } from "chai";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { readSnippetFile, readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { readGuide } from "../fixtures/tasks/lintProject.ts";

const guide = "docs/ci.md";

describe("The guide to tests in CI, for somebody else", function () {
  this.timeout(300_000);

  it("has a config whose tests run offline without an endpoint, and on a fork with one", async () => {
    const project = freshProject();
    const config = readSnippetFile(guide, "hardhat.config.ts");
    project.write(
      "hardhat.config.ts",
      config
        .replace(`"0.8.37"`, `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`)
        // The chain that is forked here has no such block.
        .replace(/, blockNumber: [\d_]+/, ""),
    );
    for (const file of ["contracts/Airdrop.sol", "test/Airdrop.ts"]) {
      project.write(file, readSnippetFile("README.md", file));
    }
    const proxy = await serveProxy((await serveLocalChain()).rpcUrl);
    const [commands = []] = readSnippets(guide).flatMap(({ language, text }) =>
      language === "sh" ? [splitCommands(text)] : [],
    );
    const [test = [], lint = []] = commands.map((command) => command.split(" ").slice(2));
    for (const [url, isForked] of [
      ["", false],
      [proxy.url, true],
    ] as const) {
      const { code, stdout, stderr } = await project.hardhat(test, { BASE_SEPOLIA_RPC_URL: url });
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/✔ lets one person claim once/);
      expect(proxy.countRequests() > 0).to.equal(isForked);
    }
    const [step = ""] = /identity attack .*/.exec(readGuide(guide)) ?? [];
    const attacked = await project.hardhat(step.split(" "));
    expect(attacked.stdout, attacked.stderr).to.match(/Airdrop: no fault found by \d+ attacks/);
    const linted = await project.hardhat(lint);
    expect(linted.stdout).to.include("1 consumer checked");
  });
});
