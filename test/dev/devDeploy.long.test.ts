import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { Contract, Interface, type JsonFragment, JsonRpcProvider } from "ethers";
import type { DemoConfig } from "../../packages/dev/demo/config.ts";
import { encodePlanned, listEntryPoints } from "../../packages/dev/demo/consumers.ts";
import type { RunningStack } from "../../tasks/internal/stack/running.ts";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { solcPath } from "../fixtures/solcPath.ts";
import { cleanEnvironment, hardhatCommand, root } from "../fixtures/tasks/hardhat.ts";
import { completeConsumer, lintProject } from "../fixtures/tasks/lintProject.ts";

const source = readSnippetFile("README.md", "contracts/Airdrop.sol");

describe("identity dev in a project of somebody's own", function () {
  this.timeout(300_000);

  function fixture() {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `import hardhatIdentity from "hardhat-identity";
export default { plugins: [hardhatIdentity], solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };
`,
    );
    project.write("contracts/Airdrop.sol", source);
    project.write(
      "ignition/modules/Airdrop.ts",
      readSnippetFile("docs/deploying.md", "ignition/modules/Airdrop.ts"),
    );
    /** Starts `identity dev <args>` there. */
    const start = (...args: string[]) =>
      startProcess(...hardhatCommand(["identity", "dev", "--rpc-port", "0", "--port", "0", ...args]), {
        cwd: project.folder,
        env: cleanEnvironment(),
      });
    /** Changes the project under a running stack, as an editor does. */
    const save = (file: string, text: string) => writeFileSync(join(project.folder, file), text);
    return { project, start, save };
  }

  it("starts although the project's contracts do not compile", async () => {
    const { project, start } = fixture();
    project.write("contracts/Broken.sol", "contract Broken {");
    for (const args of [[], ["--deploy", "Airdrop"]]) {
      const dev = start("--json", ...args);
      const ready: RunningStack = JSON.parse(await dev.waitFor(/^\{"rpcUrl".*\}$/m));
      // The example of this name would pass for the project's contract.
      const named = args.length === 0 ? ["Airdrop"] : [];
      expect(ready.consumers).to.include.keys("IncentiveProgram", ...named);
      expect("Airdrop" in ready.consumers).to.equal(named.length > 0);
      expect(dev.output().includes("contracts/Broken.sol")).to.equal(args.length > 0);
      await dev.stop();
    }
  });

  it("deploys a module and a contract whose names the stack's own have, too", async () => {
    const { project, start } = fixture();
    const module = readSnippetFile("docs/deploying.md", "ignition/modules/Airdrop.ts");
    project.write(
      "ignition/modules/Examples.ts",
      module.replace('buildModule("Airdrop"', 'buildModule("Examples"'),
    );
    const dev = start("--json", "--deploy", "Examples");
    const { consumers }: RunningStack = JSON.parse(await dev.waitFor(/^\{"rpcUrl".*\}$/m));
    expect(consumers, dev.output()).to.include.keys("Airdrop");
    expect(dev.output()).not.to.include("This version of the project's modules is not deployed.");
    await dev.stop();
  });

  it("says that changes go unnoticed if the system has no more watches, at once or later, and keeps running", async () => {
    const { project } = fixture();
    for (const [what, patch] of [
      ["at once", "throw error;"],
      [
        "later",
        'const watcher = own(...args); setTimeout(() => watcher.emit("error", error), 2_000); return watcher;',
      ],
    ] as const) {
      project.write(
        "watch.mjs",
        `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const own = fs.watch;
fs.watch = (...args) => {
  if (!args[1]?.recursive) return own(...args);
  const error = Object.assign(new Error("System limit for number of file watchers reached"), { code: "ENOSPC" });
  ${patch}
};
syncBuiltinESMExports();`,
      );
      const dev = startProcess(
        process.execPath,
        [
          "--import",
          join(project.folder, "watch.mjs"),
          ...hardhatCommand(["identity", "dev", "--rpc-port", "0", "--port", "0", "--deploy", "Airdrop"])[1],
        ],
        { cwd: project.folder, env: cleanEnvironment() },
      );
      await dev.waitFor(
        /^Changes in contracts go unnoticed, so they are not deployed\. The system's limit of file watches/m,
      );
      await dev.waitFor(/Ready\./);
      await Promise.race([delay(2_500), dev.ended]);
      expect(await dev.stop("SIGTERM"), `${what}: ${dev.output()}`).to.equal(0);
    }
  });

  it("deploys the module of --deploy, deploys it again on change, and goes on after an error", async () => {
    const { project, start, save } = fixture();
    const readyFile = join(project.folder, "stack.json");
    const readConsumers = () => JSON.parse(readFileSync(readyFile, "utf8")).consumers;
    const dev = start("--deploy", "Airdrop", "--ready-file", "stack.json");
    const [, rpcUrl = ""] = /Chain +84532 at (\S+)/.exec(await dev.waitFor(/Chain +84532 at \S+\n/)) ?? [];
    const [demoUrl] = /http\S+/.exec(await dev.waitFor(/Demo +http\S+\n/)) ?? [];
    const first = (await dev.waitFor(/^Airdrop +0x\w{40}$/m)).slice(-42);
    await dev.waitFor(/Ready\./);
    await dev.waitFor(
      /try your Airdrop in another terminal[\s\S]+--consumer Airdrop --account 2 --submit claim/,
    );
    expect(readConsumers()).to.include({ Airdrop: first });
    const registry = (await dev.waitFor(/^SignerRegistry +0x\w{40}$/m)).slice(-42);
    const provider = new JsonRpcProvider(rpcUrl, 84532, { staticNetwork: true, cacheTimeout: -1 });
    const read = (address: string, getter: string) =>
      new Contract(address, [`function ${getter}() view returns (address)`], provider).getFunction(getter)();
    expect(await read(first, "registry")).to.equal(registry);

    const readDemo = async () => (await (await fetch(`${demoUrl}/config.json`)).json()) as DemoConfig;
    const [own] = (await readDemo()).own ?? [];
    expect(own).to.include({ name: "Airdrop", address: first });
    const entryPoints = own === undefined ? [] : listEntryPoints(own);
    expect(entryPoints.map(({ name, is }) => [name, is])).to.deep.equal([
      ["Airdrop", { entryPoint: "claim" }],
    ]);
    const verification = { identityHash: `0x${"01".repeat(32)}`, expiration: 7, signature: "0x02" } as const;
    const planned = entryPoints[0]?.calls({ account: first, token: "" }) ?? [];
    const calls = planned.map((call) => encodePlanned(call, verification));
    const data = new Interface(own?.abi as JsonFragment[]).encodeFunctionData(
      "claim",
      Object.values(verification),
    );
    expect(calls).to.deep.equal([{ to: first, data }]);

    // As editors do when they open a file, and people when they write around the code.
    for (const file of [".Airdrop.sol.swp", "4913", "README.md"]) save(`contracts/${file}`, "");
    save("contracts/Airdrop.sol", `// A comment.\n${source}`);
    save("ignition/modules/notes.ts", "");
    await dev.waitFor(/^The change to contracts\/Airdrop\.sol does not affect what is deployed\.$/m);
    expect(readConsumers()).to.include({ Airdrop: first });

    save("contracts/Airdrop.sol", source.replace("_verifyOnce(", "_verifyTwice("));
    await dev.waitFor(/Undeclared identifier[\s\S]+The stack keeps running; save a change to try again\./);
    expect((await readDemo()).own).to.deep.equal([own]);

    save("contracts/Airdrop.sol", source.replace("function claim", "function collect"));
    const line = await dev.waitFor(/^Deployed again after a change to contracts\/Airdrop\.sol: .*$/m);
    const [second = ""] = /0x\w{40}/.exec(line) ?? [];
    expect(second).not.to.equal(first);
    expect(await read(second, "registry")).to.equal(registry);
    const found = (await readDemo()).own?.flatMap(listEntryPoints) ?? [];
    expect(found.map(({ address, is }) => [address, is])).to.deep.equal([
      [second, { entryPoint: "collect" }],
    ]);

    // A module may deploy the registry itself: on the stack, the one that is there takes its place.
    save(
      "ignition/modules/Airdrop.ts",
      `import { buildModule } from "@nomicfoundation/ignition-core";
import SignerRegistry from "hardhat-identity/ignition/SignerRegistry";
export default buildModule("Own", (m) => {
  const { registry } = m.useModule(SignerRegistry);
  return { one: m.contract("Airdrop", [registry], { id: "one" }), other: m.contract("Airdrop", [registry], { id: "other" }) };
});
`,
    );
    const both = await dev.waitFor(/^Deployed again after a change to ignition\/modules\/Airdrop\.ts: .*$/m);
    const [, one = "", other = ""] = /Own#one at (0x\w{40}), Own#other at (0x\w{40})\.$/.exec(both) ?? [];
    expect(await Promise.all([read(one, "registry"), read(other, "registry")])).to.deep.equal([
      registry,
      registry,
    ]);

    expect(readConsumers())
      .to.include({ "Own#one": one, "Own#other": other })
      .and.not.have.property("Airdrop");

    const [, port = ""] = /Signer service +http:\S+:(\d+)/.exec(dev.output()) ?? [];
    const policy = await project.hardhat(["identity", "policy", "--json", "--consumer", one, "--port", port]);
    expect(policy.code, policy.stdout + policy.stderr).to.equal(0);
    provider.destroy();
    expect(await dev.stop()).to.equal(0);
    expect(existsSync(readyFile)).to.equal(false);
  });

  it("prints the ready line again after each deployment, for scripts", async () => {
    const { project, start, save } = fixture();
    // A killed stack's ready file, and a file that must stay.
    project.write("stack.json", JSON.stringify({ pid: 1, signerUrl: "http://127.0.0.1:1" }));
    project.write("other.json", JSON.stringify({ pid: 1 }));
    const refused = start("--json", "--ready-file", "other.json");
    await refused.waitFor(
      /"--ready-file must name a new file or one that `identity dev` wrote, not other\.json\."/,
    );
    const dev = start("--json", "--deploy", "Airdrop", "--ready-file", "stack.json");
    const first = JSON.parse(await dev.waitFor(/^\{"rpcUrl".*\}$/m));
    const { pid, ...told } = JSON.parse(readFileSync(join(project.folder, "stack.json"), "utf8"));
    expect(told).to.deep.equal(first);
    expect(pid).to.be.above(1);
    // A comment changes nothing in the deployment.
    save("contracts/Airdrop.sol", `// A comment.\n${source}`);
    await delay(1_000);
    save("contracts/Airdrop.sol", source.replace("function claim", "function collect"));
    const lines = await dev.waitFor(/^\{"rpcUrl".*\}\n\{"rpcUrl".*\}$/m);
    const second = JSON.parse(lines.split("\n")[1] ?? "");
    expect(second.consumers.Airdrop).to.match(/^0x/).and.not.equal(first.consumers.Airdrop);
    expect({ ...second, consumers: {} }).to.deep.equal({ ...first, consumers: {} });
    process.kill(pid);
    expect(await dev.ended).to.equal(0);
    expect(existsSync(join(project.folder, "stack.json"))).to.equal(false);
  });
});

describe("identity dev --deploy", () => {
  it("deploys the module of --deploy, and again when a source of the project changes, which it names", async () => {
    const { folder, write } = await lintProject();
    const plugin = JSON.stringify(join(root, "tasks/index.ts"));
    const solidity = JSON.stringify({ version: "0.8.37", path: solcPath });
    write(
      "hardhat.config.ts",
      `import identity from ${plugin};\nexport default { plugins: [identity], solidity: ${solidity} };\n`,
    );
    const source = completeConsumer("Drop", "");
    write("contracts/own/Drop.sol", source);
    // It has the name of an example, which it replaces.
    const module = "ignition/modules/Airdrop.ts";
    const importOfIgnition = 'import { buildModule } from "@nomicfoundation/ignition-core";\n';
    write(
      module,
      `${importOfIgnition}export default buildModule("Airdrop", (m) => {
  m.send("gift", m.getParameter("to"), m.getParameter("gift"));
  return { drop: m.contract("Drop", [m.getParameter("registry")]) };
});
`,
    );
    // The stack's registry takes the place of the project's, and of nothing else.
    const nobody = `0x${"12".repeat(20)}`;
    const given = { $global: { registry: nobody, gift: "1n" }, Airdrop: { registry: nobody, to: nobody } };
    write("ignition/Airdrop.config.json", JSON.stringify(given));
    const ports = ["--rpc-port", "0", "--port", "0", "--demo-port", "0"];
    const args = ["identity", "dev", ...ports, "--deploy", "Airdrop", "--ready-file", "stack.json"];
    const env = cleanEnvironment({ IDENTITY_LOG_LEVEL: "info" });
    const dev = startProcess(...hardhatCommand(args), { cwd: folder, env });
    const consumers = () => JSON.parse(readFileSync(join(folder, "stack.json"), "utf8")).consumers;
    await dev.waitFor(/ and claim\.\n/);
    const { Drop: first, ...examples } = consumers();
    expect(first, dev.output()).to.match(/^0x/);
    expect(Object.keys(examples).sort()).to.deep.equal([
      "Ballot",
      "IncentiveProgram",
      "MembershipPass",
      "VerifiedVault",
    ]);
    const inode = () => statSync(join(folder, "stack.json")).ino;
    const written = inode();
    expect(dev.output()).to.match(/^\{"level":30,/m);
    expect(dev.output()).to.match(/^Compiling the project and deploying its modules …$/m);
    expect(dev.output()).to.match(new RegExp(`^Drop +${first}$`, "m"));
    expect(dev.output()).to.include(
      "Without a browser, try your Drop in another terminal.\nOne person gets in, if the account meets the policy.",
    );
    // An editor's temporary files are no sources.
    for (const file of [".Drop.sol.swp", ".#Drop.sol", "README.md", "Drop.sol~"])
      write(`contracts/own/${file}`, "");
    write("contracts/own/Drop.sol", source.replace("function claim", "function collect"));
    const line = await dev.waitFor(/^Deployed again after a change to .*$/m);
    const { Drop: second, ...others } = consumers();
    expect(second).not.to.equal(first);
    // A file in the other's place: nobody reads half of one.
    expect(inode()).not.to.equal(written);
    expect(others).to.deep.equal(examples);
    expect(line).to.equal(`Deployed again after a change to contracts/own/Drop.sol: Drop at ${second}.`);
    // Going back to an earlier version deploys it again.
    write("contracts/own/Drop.sol", source);
    await dev.waitFor(
      /Deployed again after a change to contracts\/own\/Drop\.sol: [\s\S]*\nDeployed again after/,
    );
    expect(consumers().Drop).not.to.equal(second);
    write(module, `${importOfIgnition}export default buildModule("Airdrop", () => ({}));\n`);
    await dev.waitFor(new RegExp(`^Deployed again after a change to ${module}: no consumer\\.$`, "m"));
    expect(Object.keys(consumers())).to.deep.equal(Object.keys(examples));
    // It ends while it deploys, which is no failure.
    write("contracts/own/Drop.sol", source.replace("function claim", "function collect"));
    await delay(500);
    expect(await dev.stop()).to.equal(0);
    expect(dev.output()).not.to.match(/changed nothing|not deployed|ssh -N/);
  });
});
