import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { readArtifact } from "../../ignition/artifacts.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const owner = "0x1111111111111111111111111111111111111111";

describe("identity verify", function () {
  this.timeout(120_000);

  it("tells of each contract what Sourcify says, in words or JSON alone, and fails unless all are verified", async () => {
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
    const verify = (...args: string[]) =>
      project.verify(["--deployment-id", "local-84532", ...args], { rpcUrl, sourcify, packed });

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
  });
});
