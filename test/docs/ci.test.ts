import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Record<string, { readonly steps: { uses?: string; run?: string; env?: unknown }[] }>;
}

describe("The guide to tests in CI", () => {
  it("leads to the workflow that `identity init` writes, and says what to put in it for a fork, with pinned actions", () => {
    const page = "docs/ci.md";
    const path = "tasks/templates/workflow.yml";
    expect(readFileSync(join(root, page), "utf8")).to.include(`](../${path})`);
    const own = readFileSync(join(root, path), "utf8");
    const snippets = readSnippets(page).map(({ text }) => text);
    const addition = snippets.find((text) => text.includes("uses: actions/cache")) ?? "";
    const elsewhere = snippets.find((text) => text.includes("npx hardhat identity policy")) ?? "";
    for (const command of splitCommands(elsewhere)) expect(own).to.include(`- run: ${command}\n`);
    const line = /^ *- run: npx hardhat test\n/m;
    expect(own).to.match(line);
    const forked = own.replace(line, () => addition.replaceAll(/^/gm, "      ").trimEnd().concat("\n"));
    const { permissions, jobs }: Workflow = parse(forked);
    expect(permissions).to.deep.equal({ contents: "read" });
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    expect(steps).to.have.length(7);
    for (const { uses } of steps)
      if (uses !== undefined) expect(uses).to.match(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    expect(steps.flatMap(({ run, env }) => (run === undefined ? [] : [[run, env]]))).to.deep.equal([
      ["npm ci", undefined],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub's placeholder.
      ["npx hardhat test", { BASE_SEPOLIA_RPC_URL: "${{ secrets.BASE_SEPOLIA_RPC_URL }}" }],
      ["npx hardhat identity attack", undefined],
      ["npx hardhat identity policy", undefined],
    ]);
  });
});
