import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { AbiCoder } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

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

    // As it is in the package.
    const packed = await temporaryFolder();
    const { abi, sourceName } = readArtifact("SignerRegistry");
    const userSourceNameMap = { [sourceName]: `project/${sourceName}` };
    const buildInfo = { abi, userSourceNameMap, input: { language: "Solidity" }, solcLongVersion: "0.8.37" };
    await mkdir(packed, { recursive: true });
    await writeFile(join(packed, "SignerRegistry.json"), JSON.stringify(buildInfo));

    const asked: string[] = [];
    const answer = { customCode: "already_verified", message: "" };
    const { url: sourcify } = await serveHttp(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.end(JSON.stringify(answer));
    });
    const withEtherscan = (env: Record<string, string>, ...args: string[]) =>
      project.verify(["--deployment-id", "local-84532", ...args], { rpcUrl, sourcify, packed, env });
    const verify = (...args: string[]) => withEtherscan({}, ...args);

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
      `SignerRegistry at ${address}, Sourcify: This chain is not supported.\nNot everything could be verified.\n`,
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
      `${line}already verified, ${page}\nEverything is verified.\n`,
    );

    const other = { rpcUrl: (await serveLocalChain()).rpcUrl, sourcify, packed };
    const foreign = await project.verify(["--deployment-id", "local-84532"], other);
    expect(foreign.stderr).to.include("is not this node's journal").and.include("Name the right network");
  });
});
