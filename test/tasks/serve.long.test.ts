import { join } from "node:path";
import { expect } from "chai";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { startProcess } from "../fixtures/process.ts";
import { cleanEnvironment, hardhatCommand, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("identity serve", () => {
  async function environment() {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    return {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_PORT: "0",
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
    };
  }

  /** Starts the service, and waits until it tells where it is. */
  async function serve(env: NodeJS.ProcessEnv, ...args: string[]) {
    const [command, all] = hardhatCommand([...args, "identity", "serve", "--json"]);
    const service = startProcess(command, all, { cwd: root, env: cleanEnvironment(env) });
    const { signerUrl } = JSON.parse(await service.waitFor(/^\{"signerUrl".*\}$/m));
    return { ...service, signerUrl: String(signerUrl) };
  }

  it("serves what the environment configures, until it is told to stop, and logs it all", async () => {
    const { signerUrl, stop, output } = await serve(await environment());
    const ready = await fetch(`${signerUrl}/readyz`);
    expect(ready.status).to.equal(200);
    const asked = await fetch(`${signerUrl}/.well-known/onchain-verifications`);
    expect(await stop("SIGTERM")).to.equal(0);
    expect(output()).to.include(`"requestId":"${asked.headers.get("x-request-id")}"`);
  });

  it("serves the chain of --network where IDENTITY_RPC_URL is set to nothing", async () => {
    const { IDENTITY_RPC_URL: rpcUrl, ...env } = await environment();
    const network = { IDENTITY_RPC_URL: "", BASE_SEPOLIA_RPC_URL: rpcUrl };
    const { signerUrl } = await serve({ ...env, ...network }, "--network", "baseSepolia");
    expect((await fetch(`${signerUrl}/readyz`)).status).to.equal(200);
  });
});
