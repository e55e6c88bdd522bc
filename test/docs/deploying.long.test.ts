import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Wallet } from "ethers";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { placeCreate2Factory } from "../../tasks/internal/deployment/create2Factory.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { deployerKey } from "../fixtures/ignition/ignition.ts";
import { readSnippetFile, readSnippets, splitCommands } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";

const guide = "docs/deploying.md";
const registryGuide = "docs/registry.md";

describe("The guide to deployment", function () {
  this.timeout(300_000);

  /** The guide's project, with the salt that it names. */
  async function fixture() {
    const { rpcUrl: localUrl, provider } = await serveLocalChain();
    const { url: rpcUrl } = await serveProxy(localUrl, hideLocalNode);
    const project = freshProject();
    const salt =
      readSnippets(registryGuide).find((snippet) => snippet.text.startsWith("ignition: {"))?.text ?? "";
    const config = readSnippetFile(guide, "hardhat.config.ts")
      .replace(`solidity: "0.8.37"`, `solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} }`)
      .replace(/\}\);\n$/, `  ${salt}});\n`)
      // Nobody else's transactions confirm those of this test.
      .replace("ignition: {", "ignition: { requiredConfirmations: 1,");
    project.write("hardhat.config.ts", config);
    project.write("contracts/Airdrop.sol", readSnippetFile("README.md", "contracts/Airdrop.sol"));
    project.write("ignition/modules/Airdrop.ts", readSnippetFile(guide, "ignition/modules/Airdrop.ts"));
    const registryModule = "ignition/modules/SignerRegistry.ts";
    project.write(registryModule, readSnippetFile(registryGuide, registryModule));
    const owner = "0x52908400098527886E0F7030069857D2E4169EE7";
    const parameters = readSnippetFile(registryGuide, "ignition/parameters/base-sepolia.json").replace(
      /<.*>/,
      owner,
    );
    project.write("ignition/parameters/base-sepolia.json", parameters.replace(/^.*\n/, ""));
    const env = {
      BASE_SEPOLIA_RPC_URL: rpcUrl,
      DEPLOYER_PRIVATE_KEY: deployerKey,
      HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "false",
    };
    return { project, provider, env };
  }

  it("has commands that deploy the registry and a consumer, show how it stands, and use CREATE2", async () => {
    const { project, provider, env } = await fixture();
    const node: Eip1193Connection = {
      request: ({ method, params = [] }) => provider.send(method, [...(params as unknown[])]),
    };
    const commands = [guide, registryGuide]
      .flatMap(readSnippets)
      .filter(({ language, text }) => language === "sh" && text.startsWith("npx hardhat ignition "))
      .flatMap(({ text }) => splitCommands(text));
    expect(commands).to.have.length(3);
    const [consumer = "", registry = "", everywhere = ""] = commands;
    const [, status = ""] = /`(npx hardhat ignition status [^`]+)`/.exec(await readFile(guide, "utf8")) ?? [];
    for (const command of [registry, consumer, everywhere, status]) {
      // Public chains have it.
      if (command.includes("create2")) await placeCreate2Factory(node);
      const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
      const { code, stdout, stderr } = await project.hardhat(args.slice(2), env);
      expect(code, `${command}\n${stdout}${stderr}`).to.equal(0);
    }
    const addresses = async (deployment: string) => {
      const file = join(project.folder, "ignition/deployments", deployment, "deployed_addresses.json");
      return Object.entries<string>(JSON.parse(await readFile(file, "utf8")));
    };
    const deployed = [...(await addresses("chain-84532")), ...(await addresses("everywhere"))];
    expect(deployed.map(([future]) => future)).to.deep.equal([
      "SignerRegistry#SignerRegistry",
      "Airdrop#Airdrop",
      "SignerRegistry#SignerRegistry",
    ]);
    for (const [, address] of deployed) expect(await provider.getCode(address)).not.to.equal("0x");
  });

  it("has parameters that are refused until you fill them in", async () => {
    const { project, provider, env } = await fixture();
    const parameters = readSnippetFile(registryGuide, "ignition/parameters/base-sepolia.json");
    project.write("ignition/parameters/base-sepolia.json", parameters.replace(/^.*\n/, ""));
    const command =
      "ignition deploy ignition/modules/SignerRegistry.ts --network baseSepolia --parameters ignition/parameters/base-sepolia.json";
    const { code, stderr } = await project.hardhat(command.split(" "), env);
    expect(code).to.equal(1);
    expect(stderr).to.include("SignerRegistry.owner must be an address");
    expect(await (await provider.getSigner(0)).getNonce()).to.equal(0);
  });

  it("has commands by which the owner adds, lists and removes a signer", async () => {
    const { project, provider, env } = await fixture();
    const owner = await provider.getSigner(0);
    const [first, next] = [Wallet.createRandom().address, Wallet.createRandom().address];
    const registry = await deploy(owner, "SignerRegistry", [owner.address, [first]]);
    const commands = readSnippets(registryGuide)
      .filter(({ text }) => text.startsWith("npx hardhat identity signers add"))
      .flatMap(({ text }) => splitCommands(text));
    const listed: unknown[] = [];
    for (const command of commands) {
      const filled = command
        .replace("--registry 0x…", `--registry ${registry.target}`)
        .replace("--signer 0x…", `--signer ${command.includes(" add ") ? next : first}`);
      // At a terminal, a command that sends a transaction asks.
      const confirm = command.includes(" list ") ? [] : ["--yes"];
      const args = [...filled.split(" ").slice(2), ...confirm, "--json"];
      const { code, stdout, stderr } = await project.hardhat(args, env);
      expect(code, `${command}\n${stdout}${stderr}`).to.equal(0);
      listed.push(...(JSON.parse(stdout).signers ?? []));
    }
    expect(listed.map((each) => Object(each).signer)).to.deep.equal([first, next]);
    expect([...(await registry.getFunction("signers")())]).to.deep.equal([next]);
  });

  it("has a command that, run again and again, guards a registry", async () => {
    const { project, provider, env } = await fixture();
    const owner = await provider.getSigner(0);
    const registry = await deploy(owner, "SignerRegistry", [owner.address, []]);
    const [snippet] = readSnippets(registryGuide).filter(({ text }) =>
      text.includes("identity signers guard"),
    );
    const [command = ""] = splitCommands(snippet?.text ?? "");
    const [admin, ...guardians] = [1, 2, 3].map(() => Wallet.createRandom().address);
    const filled = command
      .replace("--registry 0x…", `--registry ${registry.target}`)
      .replace("--admin 0x…", `--admin ${admin}`)
      .replace("--guardians 0x…,0x…", `--guardians ${guardians}`);
    const steps: string[] = [];
    let manager: string[] = [];
    for (let step: string | null = ""; step !== null; ) {
      const args = [...filled.split(" ").slice(2), ...manager, "--yes", "--json"];
      const { code, stdout, stderr } = await project.hardhat(args, env);
      expect(code, `${stdout}${stderr}`).to.equal(0);
      const done = JSON.parse(stdout) as { step: string | null; manager: string };
      step = done.step;
      steps.push(...(step === null ? [] : [step]));
      manager = ["--manager", done.manager];
    }
    expect(steps).to.deep.equal(["deploy", "roles", "transfer", "accept", "renounce"]);
    expect(await registry.getFunction("owner")()).to.equal(manager[1]);
  });
});
