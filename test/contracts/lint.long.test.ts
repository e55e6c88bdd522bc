import { symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "chai";
import { runForge, solcCommand } from "../fixtures/packages/forge.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** The linter's findings about correct code. */
const accepted = [
  // A verification lives for minutes; a block producer can shift the clock by seconds.
  "contracts/SignerRegistry.sol: block-timestamp",
];

interface Diagnostic {
  readonly code: { readonly code: string } | null;
  readonly spans: readonly { readonly file_name: string }[];
}

describe("Forge's linter", () => {
  it("finds nothing of low, medium or high severity in the contracts", async function () {
    const folder = await temporaryFolder();
    for (const linked of ["contracts", "node_modules"]) symlinkSync(join(root, linked), join(folder, linked));
    writeFileSync(join(folder, "solc"), solcCommand, { mode: 0o755 });
    writeFileSync(
      join(folder, "foundry.toml"),
      `[profile.default]
src = "contracts"
solc = "./solc"
offline = true
remappings = ["@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/"]
`,
    );
    const args = ["lint", "--json", "--severity", "high", "med", "low"];
    const { status, stdout, stderr } = runForge(this, args, folder);
    expect(status, stdout + stderr).to.equal(0);
    const findings = stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line): Diagnostic => JSON.parse(line))
      .map(({ code, spans }) => `${relative(root, spans[0]?.file_name ?? "")}: ${code?.code}`);
    expect(findings).to.have.members(accepted);
  }).timeout(120_000);
});
