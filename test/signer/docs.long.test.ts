import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";

describe("docs/signer.md", () => {
  it("has a program that runs, and ends on SIGTERM", async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const project = freshProject();
    const program = readSnippets("docs/signer.md").find(({ language }) => language === "ts");
    project.write("program.ts", program?.text ?? "");
    const child = spawn(process.execPath, ["program.ts"], {
      cwd: project.folder,
      env: {
        PATH: process.env.PATH,
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: await registry.getAddress(),
        IDENTITY_PORT: "0",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const errors = text(child.stderr);
    let output = "";
    for await (const chunk of child.stdout) {
      output += chunk;
      const [, url] = /^Listening on (\S+)$/m.exec(output) ?? [];
      if (url === undefined) continue;
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
      break;
    }
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(await errors).to.equal("");
    expect(code).to.equal(0);
  }).timeout(120_000);
});
