import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { AbiCoder } from "ethers";
import { readArtifact, readOpenZeppelinArtifact } from "../../ignition/artifacts.ts";
import { readOpenZeppelin } from "../../scripts/pack/openZeppelin.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";

const owner = "0x1111111111111111111111111111111111111111";

describe("identity verify", function () {
  this.timeout(120_000);

  it("tells of each contract what Sourcify says, and Etherscan if it has a key, and fails unless all are verified", async () => {
    const { rpcUrl } = await serveLocalChain();
    const project = await ignitionProject();
    const parameters = { SignerRegistry: { owner, signers: [] } };
    const deployed = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(deployed.code, deployed.stderr).to.equal(0);
    const { "SignerRegistry#SignerRegistry": address = "" } = await project.addresses();
    const journal = await project.findJournal();

    // As it is in the package.
    const { abi, sourceName } = readArtifact("SignerRegistry");
    const userSourceNameMap = { [sourceName]: `project/${sourceName}` };
    const buildInfo = { abi, userSourceNameMap, input: { language: "Solidity" }, solcLongVersion: "0.8.37" };
    await writeFile(join(project.packed, "SignerRegistry.json"), JSON.stringify(buildInfo));

    const asked: string[] = [];
    const answer = { customCode: "already_verified", message: "" };
    const { url: sourcify } = await serveHttp(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.end(JSON.stringify(answer));
    });
    const withEtherscan = (env: Record<string, string>, ...args: string[]) =>
      project.verify(["--deployment-id", journal, ...args], { rpcUrl, sourcify, env });
    const verify = (...args: string[]) => withEtherscan({}, ...args);

    // A node that lags has no code yet.
    let lagging = 2;
    const { url: laggingUrl } = await serveProxy(rpcUrl, {
      instead: ({ method }) => (method === "eth_getCode" && lagging-- > 0 ? { result: "0x" } : undefined),
    });
    const early = await project.verify(["--deployment-id", journal, "--json"], {
      rpcUrl: laggingUrl,
      sourcify,
    });
    expect([early.code, lagging < 0], early.stderr).to.deep.equal([0, true]);
    asked.length = 0;

    const json = await verify("--json");
    const detail = `already verified, ${sourcify}/repo-ui/84532/${address}`;
    expect(json.stdout, json.stderr).to.equal(
      `${JSON.stringify({
        contracts: [
          { contract: "SignerRegistry", address, explorers: [{ name: "Sourcify", verified: true, detail }] },
        ],
      })}\n`,
    );
    expect([json.code, asked]).to.deep.equal([0, [`POST /v2/verify/84532/${address}`]]);

    Object.assign(answer, { customCode: "unsupported_chain", message: "This chain is not supported." });
    const refused = await verify();
    expect([refused.code, refused.stdout]).to.deep.equal([
      1,
      `SignerRegistry at ${address}, Sourcify: This chain is not supported.\nSome contracts could not be verified.\n`,
    ]);

    // cspell:ignore apikey getsourcecode verifysourcecode checkverifystatus compilerversion
    const source = "contract SignerRegistry {}";
    // Etherscan's API, version 2 (docs.etherscan.io), as far as hardhat-verify asks it.
    const steps: string[] = [];
    const said = { source: "", submitted: "a-guid", status: "Pass - Verified" };
    const forms: string[] = [];
    const { url: etherscan } = await serveHttp(async (request, response) => {
      const { url = "" } = request;
      forms.push(await text(request));
      const query = new URL(url, "http://etherscan.example").searchParams;
      const action = query.get("action") ?? "";
      steps.push(`${action} ${query.get("chainid")} ${query.get("apikey")}`);
      const results: Record<string, unknown> = {
        getsourcecode: [{ SourceCode: said.source }],
        verifysourcecode: said.submitted,
        checkverifystatus: said.status,
      };
      const result = results[action];
      const status = /^(Fail|Contract source code)/.test(String(result)) ? "0" : "1";
      response.end(JSON.stringify({ status, message: "OK", result }));
      if (action === "verifysourcecode" && status === "0") said.source = source;
    });
    const atEtherscan = async (key: string) => {
      const { code, stdout } = await withEtherscan({ ETHERSCAN_URL: etherscan, ETHERSCAN_KEY: key });
      return [code, stdout.split("\n").filter((line) => line.includes("Etherscan")), steps.splice(0)];
    };
    Object.assign(answer, { customCode: "already_verified" });
    const page = `${etherscan}/address/${address}#code`;
    const line = `SignerRegistry at ${address}, Etherscan: `;
    const all = ["getsourcecode", "verifysourcecode", "checkverifystatus"].map(
      (step) => `${step} 84532 a-key`,
    );
    expect(await atEtherscan("")).to.deep.equal([0, [], []]);
    expect(await atEtherscan("a-key")).to.deep.equal([0, [`${line}verified, ${page}`], all]);
    const form = new URLSearchParams(forms.find((each) => each !== ""));
    expect(form.get("compilerversion")).to.equal("v0.8.37");
    const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, []]);
    expect(form.get("constructorArguments")).to.equal(args.slice(2));
    said.status = "Fail - Unable to verify";
    const [asks = "", submits = ""] = all;
    expect(await atEtherscan("a-key")).to.deep.equal([1, [`${line}Fail - Unable to verify`], [...all, asks]]);
    said.submitted = "Contract source code already verified";
    const already = [0, [`${line}already verified, ${page}`]];
    expect(await atEtherscan("a-key")).to.deep.equal([...already, [asks, submits, asks]]);
    expect(await atEtherscan("a-key")).to.deep.equal([...already, [asks]]);
    const alone = { SOURCIFY_URL: "", ETHERSCAN_URL: etherscan, ETHERSCAN_KEY: "a-key" };
    expect((await withEtherscan(alone)).stdout).to.equal(
      `${line}already verified, ${page}\nAll contracts are verified.\n`,
    );

    // As another release has compiled it.
    const file = join(project.folder, "deployments", journal, "artifacts/SignerRegistry#SignerRegistry.json");
    const artifact = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...artifact, bytecode: `${artifact.bytecode}00` }));
    expect((await verify()).code).to.equal(0);
    Object.assign(answer, { customCode: "no_match", message: "The code differs." });
    const ofAnotherRelease =
      "deployed with another release of @hardhat-identity/contracts than the installed one: verify it with that release.";
    const expectDetail = async (detail: string, name = "SignerRegistry") => {
      const { code, stdout } = await verify();
      const lines = [
        `${name} at ${address}, Sourcify: ${detail}`,
        "Some contracts could not be verified.",
        "",
      ];
      expect([code, stdout]).to.deep.equal([1, lines.join("\n")]);
    };
    await expectDetail(`${ofAnotherRelease} Sourcify says: The code differs.`);
    const packed = join(project.packed, "SignerRegistry.json");
    const fewer = abi.filter(({ type }: { type: string }) => type !== "constructor");
    await writeFile(packed, JSON.stringify({ ...buildInfo, abi: fewer }));
    await expectDetail(ofAnotherRelease);
    // A contract that this release does not have.
    const journalFile = join(project.folder, "deployments", journal, "journal.jsonl");
    const journalText = await readFile(journalFile, "utf8");
    await writeFile(
      journalFile,
      journalText.replaceAll('"contractName":"SignerRegistry"', '"contractName":"New"'),
    );
    const newSource = "@hardhat-identity/contracts/artifacts/New.sol";
    await writeFile(file, JSON.stringify({ ...artifact, sourceName: newSource }));
    await expectDetail(ofAnotherRelease, "New");

    await writeFile(journalFile, journalText);
    await writeFile(file, JSON.stringify(artifact));
    await writeFile(packed, JSON.stringify(buildInfo));
    const other = { rpcUrl: (await serveLocalChain()).rpcUrl, sourcify };
    const foreign = await project.verify(["--deployment-id", journal], other);
    expect(foreign.stderr).to.include("is not this node's journal").and.include("Name the right network");
  });

  it("verifies the AccessManager of a guarded registry as OpenZeppelin compiled it, and names each contract that it leaves out", async () => {
    const { rpcUrl } = await serveLocalChain();
    const project = await ignitionProject();
    const guardians = { watcher: owner, guardian1: owner, guardian2: owner };
    const deployed = await project.deploy("GuardedRegistry", {
      rpcUrl,
      parameters: { GuardedRegistry: { owner, signers: [], ...guardians } },
    });
    expect(deployed.code, deployed.stderr).to.equal(0);
    const addresses = await project.addresses();
    const manager = addresses["GuardedRegistry#AccessManager"] ?? "";

    const sourceName = "contracts/access/manager/AccessManager.sol";
    const buildInfo = readOpenZeppelin(sourceName, "AccessManager").buildInfo;
    await writeFile(join(project.packed, "AccessManager.json"), JSON.stringify(buildInfo));
    const asked: { url: string | undefined; form: Record<string, string> }[] = [];
    const { url: sourcify } = await serveHttp(async (request, response) => {
      asked.push({ url: request.url, form: JSON.parse(await text(request)) });
      response.end(JSON.stringify({ customCode: "already_verified" }));
    });
    const args = ["--deployment-id", await project.findJournal()];
    const verify = (env: Record<string, string> = {}) => project.verify(args, { rpcUrl, sourcify, env });
    const { code, stdout } = await verify();
    expect(code).to.equal(0);
    expect(stdout).to.match(
      new RegExp(
        `^AccessManager at ${manager}, Sourcify: already verified.*\\nThe package's contracts are verified\\.\\n` +
          `Verify the others with "hardhat ignition verify local-.*": \\S*SignerRegistry at 0x\\w{40}\\n$`,
      ),
    );
    expect(asked.map(({ url }) => url)).to.deep.equal([`/v2/verify/84532/${manager}`]);
    const { contractIdentifier, compilerVersion } = asked[0]?.form ?? {};
    expect(contractIdentifier).to.equal(`${sourceName}:AccessManager`);
    // The compiler's version is the last of what it wrote into the code.
    const { bytecode } = readOpenZeppelinArtifact("AccessManager");
    const version = [bytecode.slice(-10, -8), bytecode.slice(-8, -6), bytecode.slice(-6, -4)];
    expect(compilerVersion).to.match(new RegExp(`^${version.map((hex) => Number(`0x${hex}`)).join(".")}\\+`));

    const nowhere = await verify({ SOURCIFY_URL: "" });
    expect(nowhere.stderr).to.include(
      "No explorer is configured: enable Sourcify, or give Etherscan an API key",
    );
    expect(nowhere.code).to.equal(1);
  });
});
