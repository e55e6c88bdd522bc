import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { runHardhatProcess } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Our packages that a contract developer need not install. */
const others = ["attack", "dev", "pkcs11", "registry", "signer", "verify-page"];

/** A project that has the packed plugin with the packages that it brings, and none of the others. */
async function pluginAlone(): Promise<string> {
  const folder = await temporaryFolder();
  const installed = realpathSync(join(freshProject().folder, "node_modules"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@hardhat-identity"), { recursive: true });
  // Copies, because a module looks for packages from where it really is.
  const copy = (name: string) => cpSync(join(installed, name), join(modules, name), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name === "identity-signer") continue;
    if (name === "hardhat-identity") copy(name);
    else if (name !== "@hardhat-identity") symlinkSync(join(installed, name), join(modules, name));
  }
  for (const name of readdirSync(join(installed, "@hardhat-identity"))) {
    if (!others.includes(name)) copy(join("@hardhat-identity", name));
  }
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "alone", type: "module", private: true }),
  );
  writeFileSync(
    join(folder, "hardhat.config.ts"),
    `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import hardhatIdentity from "hardhat-identity";
export default { plugins: [toolbox, hardhatIdentity], solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };
`,
  );
  return folder;
}

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
