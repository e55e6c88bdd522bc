// cspell:words getsourcecode verifysourcecode checkverifystatus contractaddress contractname compilerversion
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { AbiCoder } from "ethers";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { deployerKey } from "../fixtures/ignition/ignition.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { solcPath } from "../fixtures/solcPath.ts";

const owner = "0x1111111111111111111111111111111111111111";

/** The compiler that this repository compiles with. */
const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string; version(): string };

interface Submitted {
  readonly input: string;
  readonly contract: string;
  readonly address: string;
  readonly compiler: string;
  readonly constructorArguments?: string;
}

/**
 * Etherscan's contract API (docs.etherscan.io, "Verify source code") and Sourcify's API version 2
 * (docs.sourcify.dev/docs/api), as far as Hardhat and Foundry use them. It compiles what it is sent and compares the code.
 */
async function serveExplorers(readCode: (address: string) => Promise<string>) {
  const verified: {
    explorer: string;
    address: string;
    contract: string;
    compiler: string;
    constructorArguments?: string;
  }[] = [];

  async function findProblem({ input, contract, address }: Submitted): Promise<string | undefined> {
    const [file = "", name = ""] = contract.split(":");
    const { contracts, errors } = JSON.parse(solc.compile(input));
    const compiled = contracts?.[file]?.[name]?.evm.deployedBytecode;
    if (compiled === undefined) return JSON.stringify(errors ?? `There is no ${name} in ${file}.`);
    const code = await readCode(address);
    const references = Object.values(compiled.immutableReferences).flat() as {
      start: number;
      length: number;
    }[];
    const withoutImmutables = (hex: string) => {
      const bytes = Buffer.from(hex, "hex");
      for (const { start, length } of references) bytes.subarray(start, start + length).fill(0);
      return bytes.toString("hex");
    };
    const isSame = withoutImmutables(code.slice(2)) === withoutImmutables(compiled.object);
    return isSame ? undefined : "The code differs.";
  }

  async function judge(explorer: string, submitted: Submitted): Promise<string | undefined> {
    const problem = await findProblem(submitted);
    const { input: _, ...rest } = submitted;
    if (problem === undefined) verified.push({ explorer, ...rest });
    return problem;
  }

  const outcomes = { etherscan: "", sourcify: undefined as string | undefined };
  const { url } = await serveHttp(async (request, response) => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://explorer");
    const answer = (value: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const [, address = ""] = /^\/v2\/verify\/84532\/(0x\w{40})$/.exec(pathname) ?? [];
    if (address !== "") {
      if (verified.some((each) => each.explorer === "Sourcify" && each.address === address)) {
        return answer({ customCode: "already_verified", message: "Already verified", errorId: "e" }, 409);
      }
      const { stdJsonInput, contractIdentifier, compilerVersion } = JSON.parse(body);
      outcomes.sourcify = await judge("Sourcify", {
        input: JSON.stringify(stdJsonInput),
        contract: contractIdentifier,
        compiler: compilerVersion,
        address,
      });
      return answer({ verificationId: "job" }, 202);
    }
    if (pathname === "/v2/verify/job") {
      const problem = outcomes.sourcify;
      const contract = { match: problem ? null : "match" };
      const error = problem && { error: { customCode: "no_match", message: problem, errorId: "e" } };
      return answer({ isJobCompleted: true, verificationId: "job", contract, ...error });
    }
    const action = searchParams.get("action") ?? "";
    if (action === "verifysourcecode") {
      const form = new URLSearchParams(body);
      const problem = await judge("Etherscan", {
        input: form.get("sourceCode") ?? "",
        contract: form.get("contractname") ?? "",
        compiler: form.get("compilerversion") ?? "",
        address: form.get("contractaddress") ?? "",
        constructorArguments: form.get("constructorArguments") ?? "",
      });
      outcomes.etherscan = problem ? "Fail - Unable to verify" : "Pass - Verified";
    }
    const results: Record<string, unknown> = {
      getsourcecode: [{ SourceCode: verified.some(({ explorer }) => explorer === "Etherscan") ? "{}" : "" }],
      checkverifystatus: outcomes.etherscan,
    };
    answer({ status: "1", message: "OK", result: results[action] ?? "an id" });
  });
  return { url, verified };
}

describe("A contract that somebody else's project deployed from the package", function () {
  this.timeout(300_000);

  async function fixture(readCode?: (address: string) => Promise<string>) {
    const { rpcUrl, provider } = await serveLocalChain();
    const explorers = await serveExplorers(readCode ?? ((address) => provider.getCode(address)));
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
      blockExplorers: { etherscan: { url: "${explorers.url}", apiUrl: "${explorers.url}/api" } },
    },
  },
  verify: { etherscan: { apiKey: "key" }, blockscout: { enabled: false }, sourcify: { apiUrl: "${explorers.url}" } },
});
`,
    );
    project.write(
      "ignition/modules/SignerRegistry.ts",
      'export { default } from "hardhat-identity/ignition/SignerRegistry";\n',
    );
    const deployed = await project.hardhat(
      [
        "ignition",
        "deploy",
        "ignition/modules/SignerRegistry.ts",
        "--network",
        "baseSepolia",
        "--deployment-id",
        "registry",
        "--parameters",
        JSON.stringify({ SignerRegistry: { owner, signers: [] } }),
      ],
      { HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "false" },
    );
    expect(deployed.code, deployed.stdout + deployed.stderr).to.equal(0);
    const [address = ""] = /0x[0-9a-fA-F]{40}$/m.exec(deployed.stdout) ?? [];
    return { project, explorers, address };
  }

  it("verifies a packaged contract from somebody else's project at Sourcify and Etherscan, with its compiler, and once", async () => {
    const { project, explorers, address } = await fixture();
    const verify = (...more: string[]) =>
      project.hardhat([
        "identity",
        "verify",
        "--network",
        "baseSepolia",
        "--deployment-id",
        "registry",
        ...more,
      ]);
    const { code, stdout, stderr } = await verify();
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.include(`SignerRegistry at ${address}, Sourcify: verified, `);
    expect(stdout).to.include(`SignerRegistry at ${address}, Etherscan: verified, `);
    const compiler = solc.version().replace(/\.Emscripten.*/, "");
    const contract = explorers.verified[0]?.contract ?? "";
    expect(contract).to.match(/contracts\/SignerRegistry\.sol:SignerRegistry$/);
    expect(explorers.verified).to.deep.equal([
      { explorer: "Sourcify", address, contract, compiler },
      {
        explorer: "Etherscan",
        address,
        contract,
        compiler: `v${compiler}`,
        constructorArguments: AbiCoder.defaultAbiCoder()
          .encode(["address", "address[]"], [owner, []])
          .slice(2),
      },
    ]);

    const again = await verify("--json");
    expect(again.code, again.stderr).to.equal(0);
    const [found] = JSON.parse(again.stdout).contracts;
    expect(found).to.include({ contract: "SignerRegistry", address });
    for (const { detail } of found.explorers) expect(detail).to.match(/^already verified, http/);
    expect(explorers.verified).to.have.length(2);
  });

  it("says that a contract is not verified where the explorers have another one", async () => {
    const { project, explorers } = await fixture(async () => "0x00");
    const { code, stdout } = await project.hardhat([
      "identity",
      "verify",
      "--network",
      "baseSepolia",
      "--deployment-id",
      "registry",
    ]);
    expect(code).to.equal(1);
    expect(stdout)
      .to.include("Sourcify: The code differs.")
      .and.include("Etherscan: Fail - Unable to verify");
    expect(stdout).to.include("Some contracts could not be verified.");
    expect(explorers.verified).to.deep.equal([]);
    const missing = await project.hardhat(["identity", "verify", "--network", "baseSepolia"]);
    expect(missing.code).to.equal(1);
    expect(missing.stderr).to.match(
      /There is no deployment \S*deployments\/chain-84532; name it with --deployment-id\./,
    );
  });
});
