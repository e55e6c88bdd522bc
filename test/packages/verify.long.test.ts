// cspell:words getsourcecode verifysourcecode checkverifystatus contractaddress contractname compilerversion
import { createRequire } from "node:module";
import { expect } from "chai";
import { AbiCoder } from "ethers";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { deployerKey } from "../fixtures/ignition/ignition.ts";
import { freshProject, solcPath } from "../fixtures/packages/freshProject.ts";

const owner = "0x1111111111111111111111111111111111111111";

/** The compiler that this repository compiles with. */
const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string; version(): string };

/** As much of an explorer's API as a verification asks for: compiles what it is sent, and compares the code. */
async function serveExplorer(readCode: (address: string) => Promise<string>) {
  const verified: { address: string; name: string; compiler: string; constructorArguments: string }[] = [];

  async function verify(form: URLSearchParams): Promise<string> {
    const field = (name: string) => form.get(name) ?? "";
    const [file = "", name = ""] = field("contractname").split(":");
    const { contracts, errors } = JSON.parse(solc.compile(field("sourceCode")));
    const compiled = contracts?.[file]?.[name]?.evm.deployedBytecode;
    if (compiled === undefined) return JSON.stringify(errors ?? `There is no ${name} in ${file}.`);
    const code = await readCode(field("contractaddress"));
    const references: { start: number; length: number }[] = Object.values(
      compiled.immutableReferences,
    ).flat() as [];
    const withoutImmutables = (hex: string) => {
      const bytes = Buffer.from(hex, "hex");
      for (const { start, length } of references) bytes.fill(0, start, start + length);
      return bytes.toString("hex");
    };
    if (withoutImmutables(code.slice(2)) !== withoutImmutables(compiled.object)) return "The code differs.";
    verified.push({
      address: field("contractaddress"),
      name,
      compiler: field("compilerversion"),
      constructorArguments: field("constructorArguments"),
    });
    return "Pass - Verified";
  }

  let outcome = "";
  const { url } = await serveHttp(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const action = new URL(request.url ?? "", "http://explorer").searchParams.get("action");
    if (action === "verifysourcecode") outcome = await verify(new URLSearchParams(body));
    const results: Record<string, unknown> = {
      getsourcecode: [{ SourceCode: "" }],
      checkverifystatus: outcome,
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ status: "1", message: "OK", result: results[action ?? ""] ?? "an id" }));
  });
  return { url, verified };
}

describe("A contract that somebody else's project deployed from the package", function () {
  this.timeout(300_000);

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const explorer = await serveExplorer((address) => provider.getCode(address));
    const project = freshProject();
    // A compiler and settings that are not those of the package.
    project.write(
      "hardhat.config.ts",
      `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "0.8.28", path: ${JSON.stringify(solcPath)} },
  networks: {
    baseSepolia: { type: "http", chainType: "op", url: "${rpcUrl}", accounts: ["${deployerKey}"] },
  },
  ignition: { requiredConfirmations: 1, blockPollingInterval: 50 },
  chainDescriptors: {
    84532: {
      name: "Base Sepolia",
      chainType: "op",
      blockExplorers: { etherscan: { url: "${explorer.url}", apiUrl: "${explorer.url}/api" } },
    },
  },
  verify: { etherscan: { apiKey: "key" }, blockscout: { enabled: false }, sourcify: { enabled: false } },
});
`,
    );
    project.write(
      "ignition/modules/SignerRegistry.ts",
      'export { default } from "hardhat-identity/ignition/SignerRegistry";\n',
    );
    const deployed = await project.hardhat(
      [
        ...["ignition", "deploy", "ignition/modules/SignerRegistry.ts", "--network", "baseSepolia"],
        ...[
          "--deployment-id",
          "registry",
          "--parameters",
          JSON.stringify({ SignerRegistry: { owner, signers: [] } }),
        ],
      ],
      { HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "false" },
    );
    expect(deployed.code, deployed.stdout + deployed.stderr).to.equal(0);
    const [address = ""] = /0x[0-9a-fA-F]{40}$/m.exec(deployed.stdout) ?? [];
    return { project, explorer, address };
  }

  it("is verified from there, by its journal or its address, with the compiler that made it", async () => {
    const { project, explorer, address } = await fixture();
    project.write("arguments.ts", `export default ["${owner}", []];`);
    const commands = [
      ["ignition", "verify", "registry"],
      ["verify", "etherscan", "--constructor-args-path", "arguments.ts", address],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await project.hardhat([...command, "--network", "baseSepolia"]);
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.include("Contract verified successfully");
      expect(explorer.verified.pop()).to.deep.equal({
        address,
        name: "SignerRegistry",
        compiler: `v${solc.version().replace(/\.Emscripten.*/, "")}`,
        constructorArguments: AbiCoder.defaultAbiCoder()
          .encode(["address", "address[]"], [owner, []])
          .slice(2),
      });
    }
  });
});
