import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { cleanEnvironment, root } from "../../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("Where oidc-provider was left out", () => {
  let seen: { status: number; forService: string[]; sandbox: string };

  before(async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const script = join(root, "test/fixtures/packages/withoutOidcProvider.ts");
    const env = cleanEnvironment({
      // Node runs the sources as they are, Hardhat compiles them: their coverage cannot be added up.
      NODE_V8_COVERAGE: "",
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_PORT: "0",
      IDENTITY_LOG_LEVEL: "silent",
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
    });
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env, cwd: root });
    seen = JSON.parse(stdout);
  });

  it("runs the service where the sandbox's package is left out", () => {
    expect(seen.status).to.equal(200);
    const here = `${pathToFileURL(root)}/`;
    const ours = seen.forService.filter((url) => url.startsWith(here)).map((url) => url.slice(here.length));
    expect(ours).to.include("signer/index.ts");
    expect(ours.filter((file) => file.startsWith("packages/dev/"))).to.deep.equal([]);
    expect(seen.forService.filter((url) => /\/node_modules\/(oidc-provider|koa|pg)\//.test(url))).to.be.empty;
  });

  it("says what to install for `identity dev` where the sandbox's package is left out", () => {
    expect(seen.sandbox).to.equal(
      "InvalidInputError: The sandbox identity provider needs oidc-provider, an optional package that is not installed; install it with `npm i oidc-provider`.",
    );
  });
});
