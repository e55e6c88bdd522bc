import { execFile } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { computeAddress, hexlify, randomBytes, SigningKey } from "ethers";
import type { ReadinessReport } from "../../packages/protocol/health.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { needSoftHsm } from "../fixtures/pkcs11/softHsm.ts";
import { startProcess } from "../fixtures/process.ts";
import { toDer } from "../fixtures/signer/der.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const run = promisify(execFile);
const snippets = readSnippets("docs/keys.md");

/** The guide's one block that has a text. */
function snippetWith(text: string): string {
  const found = snippets.filter((snippet) => snippet.text.includes(text));
  expect(found, text).to.have.length(1);
  return found[0]?.text ?? "";
}

describe("docs/keys.md", function () {
  this.timeout(180_000);

  it("makes a key on a token by its commands, with which a service starts as it is configured there", async function () {
    needSoftHsm(this);
    const folder = await temporaryFolder();
    await mkdir(join(folder, "tokens"));
    await writeFile(join(folder, "softhsm2.conf"), `directories.tokendir = ${join(folder, "tokens")}\n`);
    const pin = hexlify(randomBytes(8));
    await writeFile(join(folder, "pin"), pin, { mode: 0o600 });
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const env = cleanEnvironment({
      SOFTHSM2_CONF: join(folder, "softhsm2.conf"),
      SO_PIN: "12345678",
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
      IDENTITY_PORT: "0",
    });
    for (const text of ["--init-token", "--keypairgen"]) {
      await run("sh", ["-ec", snippetWith(text)], { cwd: folder, env });
    }
    const settings = [...snippetWith("IDENTITY_SIGNING_KEY='pkcs11:").matchAll(/^(\w+)='(.+)'$/gm)];
    expect(settings).to.have.length(1);
    const service = startProcess(process.execPath, [join(root, "packages/operator/cli/identity-signer.ts")], {
      cwd: folder,
      env: { ...env, ...Object.fromEntries(settings.map(([, name, value]) => [name, value])) },
    });
    const line = await service.waitFor(/^.*"msg":"listening".*$/m);
    const { key, signer } = JSON.parse(line);
    expect(key).to.equal("pkcs11");
    const tool = ["--module", "/usr/lib/softhsm/libsofthsm2.so", "--token-label", "identity"];
    const read = ["--read-object", "--type", "pubkey", "--label", "signer", "--output-file", "public.der"];
    await run("pkcs11-tool", [...tool, ...read], { cwd: folder, env });
    const der = await readFile(join(folder, "public.der"));
    expect(signer).to.equal(addressOf(createPublicKey({ key: der, format: "der", type: "spki" })));
    expect(service.output()).not.to.include(pin);
    expect(await service.stop("SIGTERM")).to.equal(0);
  });

  it("has a module for a cloud KMS, with whose key a service signs and which stops signing while the KMS is away", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const key = new SigningKey(Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url"));
    let away = false;
    let signatures = 0;
    // As cloud.google.com/kms/docs/reference/rest describes getPublicKey and asymmetricSign, and the metadata server's token.
    const cloud = await serveHttp(async (request, response) => {
      const answer = (body: object) => void response.end(JSON.stringify(body));
      if (request.url === "/token" && request.headers["metadata-flavor"] === "Google")
        return answer({ access_token: "access", token_type: "Bearer" });
      if (away || request.headers.authorization !== "Bearer access")
        return void response.writeHead(503).end();
      if (request.url === "/v1/key/publicKey") return answer({ pem });
      const { digest } = (await json(request)) as { digest: { sha256: string } };
      const { r, s } = key.sign(Buffer.from(digest.sha256, "base64"));
      // A KMS does not care about low s.
      signatures++;
      const highS = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - BigInt(s);
      answer({ signature: toDer(BigInt(r), signatures % 2 ? BigInt(s) : highS).toString("base64") });
    });
    const folder = await temporaryFolder();
    await cp(join(root, "examples/kms/kms.js"), join(folder, "kms.js"));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const settings = [...snippetWith("IDENTITY_SIGNING_KEY=module:").matchAll(/^(\w+)=(.+)$/gm)];
    expect(settings).to.have.length(1);
    const service = startProcess(process.execPath, [join(root, "packages/operator/cli/identity-signer.ts")], {
      cwd: folder,
      env: cleanEnvironment({
        ...Object.fromEntries(
          settings.map(([, name, value]) => [name, value?.replace("/opt/identity-signer", folder)]),
        ),
        KMS_KEY: `${cloud.url}/v1/key`,
        KMS_TOKEN_URL: `${cloud.url}/token`,
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: await registry.getAddress(),
        IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
        IDENTITY_PORT: "0",
      }),
    });
    const { url, signer } = JSON.parse(await service.waitFor(/^.*"msg":"listening".*$/m));
    expect(signer).to.equal(addressOf(publicKey));
    await (await registry.getFunction("addSigner")(signer)).wait();
    const checks = async () => ((await (await fetch(`${url}/readyz`)).json()) as ReadinessReport).checks;
    while (!(await checks()).signer.ok) await delay(100);
    expect((await checks()).key.ok).to.equal(true);
    away = true;
    while ((await checks()).key.ok) await delay(100);
    await service.waitFor(/does not sign: [\d.:]+ answers 503/);
    away = false;
    while (!(await checks()).key.ok) await delay(100);
    expect(signatures).to.equal(1);
    expect(service.output()).not.to.include("Bearer");
    expect(await service.stop("SIGTERM")).to.equal(0);
  });
});

function addressOf(publicKey: KeyObject): string {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return computeAddress(hexlify(Buffer.from(`04${hexOf(x)}${hexOf(y)}`, "hex")));
}

const hexOf = (part: string) => Buffer.from(part, "base64url").toString("hex");
