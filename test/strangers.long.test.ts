import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { readSnippetFile, readSnippets } from "./fixtures/markdown.ts";
import { compile, loadCompiler } from "./fixtures/packages/compile.ts";
import { npmEnvironment, npmProject } from "./fixtures/packages/npmProject.ts";
import { startProcess } from "./fixtures/process.ts";
import { solcPath } from "./fixtures/solcPath.ts";

const guide = "docs/getting-started.md";

/** The guide's steps for a reader of one toolbox's tabs, in order: commands to type, or files to write. */
const readSteps = (toolbox: string) =>
  readSnippets(guide)
    .filter(({ tab }) => tab === undefined || tab === toolbox || tab === "npm")
    // That one is pnpm's.
    .filter(({ language }) => language !== "yaml")
    .map((step) =>
      toolbox === "viem" && step.tab === "npm"
        ? { ...step, text: step.text.replace("hardhat-toolbox-mocha-ethers", "hardhat-toolbox-viem") }
        : step,
    );

/** An output without what is another one each time, in the words of the guide. */
const plain = (output: string): string =>
  output
    .replaceAll(/0x\w+(?:…\w+)?/g, "0x…")
    .replaceAll(/ \(\d+(ms|s|m)\)/g, "")
    .replaceAll(/^ +(?=\d+ passing)/gm, "")
    .replaceAll(/(?<=^\d+ passing) \(\d+ solidity.*\)$/gm, "")
    .replaceAll(/127\.0\.0\.1:\d+(?= and claim)/g, "127.0.0.1:4000")
    .replaceAll(/^[\da-f]{7,} (?=Add )/gm, "1a2b3c4 ");

describe("A stranger, by the documentation alone", function () {
  this.timeout(600_000);

  let strangers: Awaited<ReturnType<typeof npmProject>>;
  before(async () => {
    strangers = await npmProject();
    // Above the folders of the strangers, npm would take it for theirs.
    rmSync(join(strangers.folder, "package.json"));
  });

  function fixture(name: string) {
    const folder = join(strangers.folder, name);
    // Running stacks are listed there: nobody else's are found.
    const TMPDIR = join(strangers.folder, `${name}.tmp`);
    for (const path of [folder, TMPDIR]) mkdirSync(path);
    const env = {
      ...strangers.settings,
      TMPDIR,
      HOME: TMPDIR,
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "Stranger",
      GIT_AUTHOR_EMAIL: "stranger@example.com",
      GIT_COMMITTER_NAME: "Stranger",
      GIT_COMMITTER_EMAIL: "stranger@example.com",
    };
    /** Types commands into a terminal, up to the first that fails. */
    const type = (commands: string, at = folder) =>
      strangers.run("bash", ["-ec", `cd '${at}'\n${commands}`], env);
    async function succeed(commands: string, at = folder): Promise<string> {
      const { code, stdout, stderr } = await type(commands, at);
      expect(code, `${commands}\n${stdout}${stderr}`).to.equal(0);
      return stdout;
    }
    /** Leaves a command running. */
    const start = (command: string) =>
      startProcess("bash", ["-c", command], { cwd: folder, env: npmEnvironment(env), detached: true });
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
    return { folder, type, succeed, start, write };
  }

  for (const toolbox of ["ethers", "viem"]) {
    const withCi = toolbox === "viem";
    const end = `a claim through the real service${withCi ? " and a green CI" : ""}`;
    it(`gets from nothing to ${end}, with ${toolbox}`, async () => {
      const { folder, type, succeed, start, write } = fixture(toolbox);
      let outputs = "";
      for (const { language, text } of readSteps(toolbox)) {
        const [, file] = /^\/\/ (\S+)\n/.exec(text) ?? [];
        if (file !== undefined) {
          // Nothing is downloaded here.
          const compiler = `{ version: "0.8.37", path: ${JSON.stringify(solcPath)} }`;
          write(file, text.replace('"0.8.37"', compiler));
        } else if (text.includes(" identity dev ")) {
          // Nobody's ports are taken; the tasks find the stack by themselves.
          const stack = start(`${text.trim()} --rpc-port 0 --port 0 --demo-port 0`);
          await stack.waitFor(/ and claim\./);
          outputs += `${stack.output()}\n`;
        } else if (text.includes(" --account 2 ")) {
          const { code, stdout } = await type(text);
          expect(code).to.equal(1);
          outputs += stdout;
        } else if (language === "sh") {
          outputs += await succeed(text);
        } else {
          expect(`\n${plain(outputs)}`, text).to.include(`\n${text}`);
        }
      }
      expect(outputs).to.match(/\b14 passing \(10 solidity, 4 /);
      expect(outputs).to.match(/^Accepted +claim in transaction 0x\w{64}/m);

      // The workflow is the same with either toolbox.
      if (!withCi) return;
      await succeed(`git clone --quiet '${folder}' checkout`);
      const checkout = join(folder, "checkout");
      const { jobs } = parse(readFileSync(join(checkout, ".github/workflows/identity.yml"), "utf8"));
      const steps: { run?: string }[] = jobs.test.steps;
      for (const { run } of steps) if (run !== undefined) await succeed(run, checkout);
    });
  }

  it("compiles a consumer in Foundry's layout, with what npm has installed", async () => {
    const page = "docs/foundry.md";
    const { folder, succeed } = fixture("foundry");
    const install = readSnippets(page).find(({ text }) => text.startsWith("npm install "));
    await succeed(install?.text ?? "");
    const remappings = readFileSync(new URL(`../${page}`, import.meta.url), "utf8").match(
      /^@\S+=node_modules\/\S+$/gm,
    );
    expect(remappings).to.have.length(2);
    const files = {
      "src/Airdrop.sol": readSnippetFile("README.md", "contracts/Airdrop.sol"),
      "test/Airdrop.t.sol": readSnippetFile(page, "test/Airdrop.t.sol"),
    };
    const messages = compile(loadCompiler("solc"), {
      files,
      remappings: remappings ?? [],
      folders: { "node_modules/": join(folder, "node_modules") },
    });
    const errors = messages.filter(({ severity }) => severity === "error");
    expect(errors.map(({ formattedMessage }) => formattedMessage)).to.deep.equal([]);
  });

  it("builds an app with Vite that imports the client", async () => {
    const { succeed, write } = fixture("vite");
    await succeed("npm init -y\nnpm install --save-dev vite\nnpm install @hardhat-identity/client");
    write("index.html", '<!doctype html><title>App</title><script type="module" src="/main.ts"></script>\n');
    const claim = readSnippets("docs/client.md").find(({ language }) => language === "ts");
    write("main.ts", claim?.text ?? "");
    await succeed("npx vite build --outDir built --assetsDir .");
    expect(await succeed("cat built/*.js"))
      .to.include("eth_requestAccounts")
      .and.include("/v1/onchain_verifications");
  });
});
