// cspell:words getsourcecode verifysourcecode checkverifystatus contractaddress contractname compilerversion
import { expect } from "chai";
import { AbiCoder } from "ethers";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";

const owner = "0x1111111111111111111111111111111111111111";

describe("hardhat ignition verify", function () {
  this.timeout(300_000);

  /** As much of an explorer's API as a verification asks for; collects what is submitted. */
  async function fixture() {
    const submitted: URLSearchParams[] = [];
    const answers: Record<string, unknown> = {
      getsourcecode: [{ SourceCode: "" }],
      verifysourcecode: "an id",
      checkverifystatus: "Pass - Verified",
    };
    const { url: explorerUrl } = await serveHttp(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      if (body !== "") submitted.push(new URLSearchParams(body));
      const action = new URL(request.url ?? "", "http://explorer").searchParams.get("action") ?? "";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ status: "1", message: "OK", result: answers[action] }));
    });
    const { rpcUrl: localUrl } = await serveLocalChain();
    const { url: rpcUrl } = await serveProxy(localUrl, hideLocalNode);
    return { submitted, explorerUrl, rpcUrl, project: await ignitionProject() };
  }

  it("hands the explorer the sources, settings and arguments of what was deployed", async () => {
    const { submitted, explorerUrl, rpcUrl, project } = await fixture();
    const parameters = { SignerRegistry: { owner, signers: [] } };
    const deployed = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(deployed.code, deployed.stderr).to.equal(0);
    const verified = await project.verify({ rpcUrl, explorerUrl });
    expect(verified.code, verified.stderr).to.equal(0);
    expect(verified.stdout).to.include("Contract verified successfully");

    expect(submitted).to.have.length(1);
    const sent = Object.fromEntries(submitted[0] ?? []);
    const { "SignerRegistry#SignerRegistry": address } = await project.addresses("chain-84532");
    expect(sent.contractaddress).to.equal(address);
    expect(sent.contractname).to.match(/contracts\/SignerRegistry\.sol:SignerRegistry$/);
    expect(sent.compilerversion).to.match(/^v0\.8\.37\+/);
    expect(`0x${sent.constructorArguments}`).to.equal(
      AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, []]),
    );
    expect(JSON.parse(sent.sourceCode ?? "").settings).to.deep.include({ evmVersion: "prague", viaIR: true });
  });
});
