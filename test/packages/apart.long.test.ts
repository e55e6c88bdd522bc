import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { cleanEnvironment, hardhatCommand, runHardhatProcess } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** A project that has the named ones of our packed packages, and a configuration. */
async function projectWith(packages: readonly string[], config: string): Promise<string> {
  const folder = await temporaryFolder();
  const installed = realpathSync(join(freshProject().folder, "node_modules"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@hardhat-identity"), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (/^(@hardhat-identity|hardhat-identity|identity-signer)$/.test(name)) continue;
    symlinkSync(join(installed, name), join(modules, name));
  }
  // Copies, because a module looks for packages from where it really is.
  for (const name of packages) cpSync(join(installed, name), join(modules, name), { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "alone", type: "module", private: true }),
  );
  writeFileSync(join(folder, "hardhat.config.ts"), config);
  return folder;
}

/** A project that has the plugin with the packages that it brings, and none of the others. */
const pluginAlone = () =>
  projectWith(
    ["hardhat-identity"].concat(
      ["client", "console", "contracts", "ignition", "protocol", "wallet"].map(
        (name) => `@hardhat-identity/${name}`,
      ),
    ),
    `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import hardhatIdentity from "hardhat-identity";
export default { plugins: [toolbox, hardhatIdentity], solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };
`,
  );

describe("The plugin without the other packages", function () {
  this.timeout(300_000);

  it("says in a line what to install for a task that another package has", async () => {
    const cwd = await pluginAlone();
    for (const [name, ...tasks] of [
      ["attack", "attack Airdrop"],
      ["dev", "dev", "credential list"],
      ["registry", "signers list", "verify"],
    ]) {
      const message = `This needs the package @hardhat-identity/${name}: npm install --save-dev @hardhat-identity/${name}`;
      for (const task of tasks) {
        const words = await runHardhatProcess(["identity"].concat(task.split(" ")), { cwd });
        expect(words.code, task).to.equal(1);
        expect(words.stderr, task).to.include(message);
        const json = await runHardhatProcess(["identity"].concat(task.split(" "), "--json"), { cwd });
        expect(JSON.parse(json.stdout), task).to.deep.equal({ error: { message } });
      }
    }
  });

  it("tests a new consumer, and says in a test what to install for an attack and for a service", async () => {
    const cwd = await pluginAlone();
    expect((await runHardhatProcess(["identity", "init"], { cwd })).code).to.equal(0);
    const tested = await runHardhatProcess(["test"], { cwd });
    expect(tested.code, tested.stdout + tested.stderr).to.equal(0);
    writeFileSync(
      join(cwd, "ask.ts"),
      `import { network } from "hardhat";
const { identity } = await network.create("identityLocal");
for (const ask of [() => identity.attack("Airdrop"), () => identity.startService({ credentials: {} })]) {
  await ask().catch(({ message }) => console.log(message));
}
`,
    );
    const asked = await runHardhatProcess(["run", "ask.ts"], { cwd });
    expect(asked.stdout.trim().split("\n").slice(-2)).to.deep.equal(
      ["attack", "dev"].map(
        (name) =>
          `This needs the package @hardhat-identity/${name}: npm install --save-dev @hardhat-identity/${name}`,
      ),
    );
  });
});

describe("The wallet without the plugin", function () {
  this.timeout(300_000);

  it("takes a batch in a test and over `hardhat node`, in a project that has it by the guide's lines", async () => {
    const packages = ["console", "protocol", "wallet"].map((name) => `@hardhat-identity/${name}`);
    const cwd = await projectWith(packages, readSnippetFile("docs/wallet.md", "alone.config.ts"));
    writeFileSync(
      join(cwd, "send.ts"),
      `import { network } from "hardhat";

const { provider } = await network.create(process.env.NETWORK);
const ask = (method: string, ...params: unknown[]) => provider.request({ method, params });
const [from, to] = await ask("eth_accounts");
const calls = [{ to, value: "0x1" }, { to, value: "0x2" }];
const batch = { version: "2.0.0", from, chainId: await ask("eth_chainId"), atomicRequired: true, calls };
const { id } = await ask("wallet_sendCalls", batch);
const { status, receipts } = await ask("wallet_getCallsStatus", id);
console.log(status, receipts.length);
`,
    );
    const here = await runHardhatProcess(["run", "--no-compile", "send.ts"], { cwd });
    expect(here.stdout.trim().split("\n").at(-1), here.stderr).to.equal("200 1");
    const node = startProcess(...hardhatCommand(["node", "--hostname", "127.0.0.1", "--port", "0"]), {
      cwd,
      env: cleanEnvironment(),
    });
    const url = (await node.waitFor(/http:\S+?(?=\/?\s)/)).toString();
    writeFileSync(
      join(cwd, "elsewhere.config.ts"),
      `export default { networks: { elsewhere: { type: "http", url: ${JSON.stringify(url)} } } };\n`,
    );
    const words = ["--config", "elsewhere.config.ts", "run", "--no-compile", "send.ts"];
    const there = await runHardhatProcess(words, { cwd, env: { NETWORK: "elsewhere" } });
    expect(there.stdout.trim().split("\n").at(-1), there.stderr).to.equal("200 1");
  });
});
