import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { cleanEnvironment, hardhatCommand, root, runHardhat } from "../fixtures/hardhat.ts";
import { serveChainWithRegistry } from "../fixtures/localChain.ts";
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

  it("serves what the environment configures, until it is told to stop", async () => {
    const [command, args] = hardhatCommand(["identity", "serve", "--json"]);
    const child = spawn(command, args, { cwd: root, env: cleanEnvironment(await environment()) });
    const ended = once(child, "close");
    try {
      const signerUrl = await new Promise<string>((resolve, reject) => {
        let output = "";
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          const [ready] = /^\{"signerUrl".*\}$/m.exec(output) ?? [];
          if (ready !== undefined) resolve(JSON.parse(ready).signerUrl);
        });
        void ended.then(() => reject(new Error(output)));
      });
      const ready = await fetch(`${signerUrl}/readyz`);
      expect(ready.status).to.equal(200);
      child.kill("SIGTERM");
      expect(await ended).to.deep.equal([0, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("names every setting that is missing or wrong, and starts nothing", async () => {
    const { code, stdout } = await runHardhat(["identity", "serve", "--json"], {
      env: { ...(await environment()), IDENTITY_REGISTRY: "0x12", IDENTITY_PORT: "http" },
    });
    expect(code).to.equal(1);
    const { message } = JSON.parse(stdout).error;
    expect(message).to.include("IDENTITY_REGISTRY must be the registry's address");
    expect(message).to.include('IDENTITY_PORT must be a whole number from 0 to 65535, not "http"');
  });
});
