import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { readSnippetFile, readSnippets } from "../fixtures/markdown.ts";
import { freshProject, solcPath } from "../fixtures/packages/freshProject.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const guide = "docs/forks-and-ci.md";

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Record<string, { readonly steps: { uses?: string; run?: string; env?: unknown }[] }>;
}

describe("The guide to forks and CI", function () {
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
    const [command = ""] = readSnippets(guide).flatMap(({ language, text }) =>
      language === "sh" ? text.trim() : [],
    );
    const args = command.replace("npx hardhat ", "").split(" ");
    for (const [url, isForked] of [
      ["", false],
      [proxy.url, true],
    ] as const) {
      const { code, stdout, stderr } = await project.hardhat(args, { BASE_SEPOLIA_RPC_URL: url });
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/✔ lets one person claim once/);
      expect(proxy.countRequests() > 0).to.equal(isForked);
    }
  });

  it("has the workflow that `identity init` writes, and what to put in it for a fork, with pinned actions", () => {
    const [own = "", addition = ""] = readSnippets(guide).flatMap(({ language, text }) =>
      language === "yaml" ? text : [],
    );
    expect(own).to.equal(
      `# .github/workflows/identity.yml\n${readFileSync(join(root, "examples/init/workflow.yml"), "utf8")}`,
    );
    const line = /^ *- run: npx hardhat test\n/m;
    expect(own).to.match(line);
    const forked = own.replace(line, () => addition.replaceAll(/^/gm, "      ").trimEnd().concat("\n"));
    const { permissions, jobs }: Workflow = parse(forked);
    expect(permissions).to.deep.equal({ contents: "read" });
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    expect(steps).to.have.length(6);
    for (const { uses } of steps)
      if (uses !== undefined) expect(uses).to.match(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(steps.flatMap(({ run, env }) => (run === undefined ? [] : [[run, env]]))).to.deep.equal([
      ["npm ci", undefined],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub's placeholder.
      ["npx hardhat test", { BASE_SEPOLIA_RPC_URL: "${{ secrets.BASE_SEPOLIA_RPC_URL }}" }],
      ["npx hardhat identity policy", undefined],
    ]);
  });
});
