import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { freshProject, solcPath } from "../fixtures/freshProject.ts";

const kinds = { claim: "Airdrop", mint: "Pass", deposit: "Vault", vote: "Poll" } as const;
const workflow = ".github/workflows/identity.yml";

/** What a consumer of this name consists of. */
const filesOf = (name: string) => [`contracts/${name}.sol`, `test/${name}.ts`, `ignition/modules/${name}.ts`];

describe("identity init", function () {
  this.timeout(300_000);

  function fixture(toolbox: "mocha-ethers" | "viem") {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-${toolbox}";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

const solidity = { version: "0.8.37", path: ${JSON.stringify(solcPath)} };
export default defineConfig({ plugins: [toolbox, hardhatIdentity], solidity });
`,
    );
    const read = (file: string) => readFileSync(join(project.folder, file), "utf8");
    /** Runs a task there that has to succeed; answers what it printed. */
    async function run(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await project.hardhat(args);
      expect(code, `${args.join(" ")}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    }
    return { project, read, run };
  }

  for (const [toolbox, told] of [
    ["mocha-ethers", "12 passing"],
    ["viem", "12 passing"],
  ] as const) {
    it(`adds a consumer of every kind with ${toolbox}, whose tests pass, and with which the linter is content`, async () => {
      const { project, run } = fixture(toolbox);
      for (const [kind, name] of Object.entries(kinds)) {
        const added = JSON.parse(await run("identity", "init", "--kind", kind, "--json"));
        const first = kind === "claim";
        expect(added).to.deep.equal({
          contract: name,
          written: [...filesOf(name), ...(first ? [workflow] : [])],
          unchanged: first ? [] : [workflow],
        });
      }
      expect(await run("test")).to.include(told);
      const { consumers, findings } = JSON.parse(await run("identity", "policy", "--json"));
      expect(consumers).to.have.length(4);
      expect(findings).to.deep.equal([]);
      // Each brings the registry along.
      for (const name of Object.values(kinds)) {
        expect(await run("ignition", "deploy", `ignition/modules/${name}.ts`)).to.include(
          `${name}#${name} - 0x`,
        );
      }
      expect(existsSync(join(project.folder, "ignition/deployments"))).to.equal(false);
    });
  }

  it("changes no file that is there already, unless it is told to", async () => {
    const { project, read, run } = fixture("viem");
    project.write("test/Airdrop.ts", "// mine\n");
    project.write(workflow, "# mine, too\n");
    const refused = await project.hardhat(["identity", "init"]);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include(
      "Nothing was written, for these files are there already: test/Airdrop.ts.",
    );
    expect(existsSync(join(project.folder, "contracts"))).to.equal(false);

    expect(await run("identity", "init", "--overwrite")).to.include("Wrote test/Airdrop.ts\n");
    expect(read("test/Airdrop.ts")).to.include('describe("Airdrop"');
    expect(read(workflow)).to.equal("# mine, too\n");
    const again = JSON.parse(await run("identity", "init", "--json"));
    expect(again).to.deep.equal({
      contract: "Airdrop",
      written: [],
      unchanged: [...filesOf("Airdrop"), workflow],
    });
  });

  it("takes a name of one's own, and the commands of the project's package manager", async () => {
    const { project, read, run } = fixture("viem");
    for (const [lock, steps] of [
      ["package-lock.json", ["npm ci", "npx hardhat test", "npx hardhat identity policy"]],
      [
        "pnpm-lock.yaml",
        ["corepack enable && pnpm install", "pnpm exec hardhat test", "pnpm exec hardhat identity policy"],
      ],
    ] as const) {
      project.write(lock, "");
      rmSync(join(project.folder, ".github"), { recursive: true, force: true });
      await run("identity", "init", "--kind", "vote", "--name", "Election");
      expect([...read(workflow).matchAll(/- run: (.*)/g)].map(([, step]) => step)).to.deep.equal(steps);
    }
    expect(read("contracts/Election.sol")).to.include("contract Election is VerifyOnce {");
    expect(read("test/Election.ts")).to.include(
      "consumer.write.vote([true, ...second.args], { account: laptop.account })",
    );
    for (const file of filesOf("Election")) expect(read(file)).not.to.match(/Airdrop|Poll/);
  });

  it("says what it cannot do, and writes nothing", async () => {
    const { project } = fixture("viem");
    project.write("contracts/tokens/Drop.sol", "contract Airdrop {}\n");
    for (const [args, message] of [
      [[], "contracts/tokens/Drop.sol has a contract Airdrop already. Choose another --name."],
      [["--kind", "game"], '--kind must be one of claim, mint, deposit, vote, got "game".'],
      [["--name", "../Drop"], `--name must be a contract's name, such as Airdrop, got "../Drop".`],
      [["--name", "VerifyOnce"], "--name VerifyOnce is taken by what the contract or its test is made of."],
    ] as const) {
      const { code, stdout } = await project.hardhat(["identity", "init", "--json", ...args]);
      expect(code).to.equal(1);
      expect(JSON.parse(stdout).error.message).to.include(message);
    }
    expect(existsSync(join(project.folder, "test"))).to.equal(false);
  });
});
