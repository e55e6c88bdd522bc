import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { hexlify, randomBytes, Wallet } from "ethers";
import { development } from "../../packages/protocol/development.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { npmEnvironment, npmProject } from "../fixtures/packages/npmProject.ts";
import { needSoftHsm, sharedToken } from "../fixtures/pkcs11/softHsm.ts";
import { startProcess } from "../fixtures/process.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

type Lock = { packages: Record<string, object> };

describe("identity-signer", function () {
  this.timeout(300_000);

  /** A chain with a registry and a consumer, and the settings of a service for it. */
  async function chainFixture(folder: string) {
    const { rpcUrl, registry, deployer } = await serveChainWithRegistry();
    const consumer = await deploy(deployer, "IncentiveProgram", [await registry.getAddress()]);
    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    const env = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_PORT: "0",
      IDENTITY_DATABASE_URL: databaseUrl,
    };
    return { env, databaseUrl, consumer: await consumer.getAddress() };
  }

  /** Starts what `npx --no identity-signer` would, and waits until it tells where it listens. */
  async function start(folder: string, env: NodeJS.ProcessEnv) {
    const binary = join(folder, "node_modules/.bin/identity-signer");
    const service = startProcess(binary, [], { cwd: folder, env: npmEnvironment(env) });
    const line = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
    return { ...service, url: String(line.url), listening: line };
  }

  /** Has the service sign a verification for a wallet whose credential is in its store. */
  async function expectVerification(
    url: string,
    { databaseUrl, consumer }: { databaseUrl: string; consumer: string },
  ) {
    const wallet = Wallet.createRandom();
    const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
    await store.set({
      wallet: wallet.address,
      provider: "microblog",
      accountId: "1",
      traits: { followers: "2000" },
      authenticatedAt: Math.floor(Date.now() / 1000),
    });
    await store.close();
    const { status, body } = await requestVerification(url, await signedRequest(wallet, consumer));
    expect(status, JSON.stringify(body)).to.equal(200);
    const problem = await requestVerification(url, { message: 1 });
    expect(problem.body.code).to.equal("invalid_argument");
  }

  describe("installed without what is optional", () => {
    let project: Awaited<ReturnType<typeof npmProject>>;

    before(async () => {
      project = await npmProject();
      await project.install("--omit=optional", "identity-signer");
    });

    it("serves from its package, loads neither Hardhat nor the sandbox's identity provider, and ends at SIGTERM", async () => {
      const chain = await chainFixture(project.folder);
      const trace = join(project.folder, "modules");
      const preload = pathToFileURL(join(root, "test/fixtures/tasks/traceModules.mjs"));
      const service = await start(project.folder, {
        ...chain.env,
        NODE_OPTIONS: `--import ${preload}`,
        TRACED_MODULES: trace,
      });
      expect(service.listening.curve).to.equal("portable");
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
      expect(await (await fetch(`${service.url}/verify`)).text()).to.include("<script");
      await expectVerification(service.url, chain);
      expect(await service.stop("SIGTERM")).to.equal(0);

      const loaded = readFileSync(trace, "utf8");
      expect(loaded).to.include("/node_modules/express/");
      expect(loaded).not.to.match(
        /\/node_modules\/(hardhat|@nomicfoundation|oidc-provider|pg|secp256k1|elliptic)\//,
      );
    });

    it("says from its package what is wrong with its settings and nothing else, and ends with 1", async () => {
      const { code, stdout, stderr } = await project.run("node_modules/.bin/identity-signer", [], {
        IDENTITY_RPC_URL: "http://127.0.0.1:1",
        IDENTITY_REGISTRY: "0x12",
      });
      expect(code).to.equal(1);
      expect(stderr).to.equal("");
      expect(JSON.parse(stdout).problem).to.match(
        /^The signer's configuration is not valid:\n.*IDENTITY_REGISTRY must be .*$/,
      );
    });
  });

  it("serves in a project that is locked at ethers 6.14, zod 4.1 and OpenZeppelin 5.1, which keeps them", async () => {
    const held = { "@openzeppelin/contracts": "5.1.0", ethers: "6.14.0", zod: "4.1.0" };
    const project = await npmProject({ dependencies: held });
    await project.install();
    // As in a project that asked for what was the newest then, and has not moved since.
    const ranges = Object.fromEntries(Object.entries(held).map(([name, version]) => [name, `^${version}`]));
    const manifest = project.readJson("package.json");
    project.write("package.json", JSON.stringify({ ...manifest, dependencies: ranges }));
    await project.install();
    const before: Lock = project.readJson("package-lock.json");

    await project.install("identity-signer", "hardhat-identity", "@hardhat-identity/contracts");
    const { packages }: Lock = project.readJson("package-lock.json");
    for (const [path, entry] of Object.entries(before.packages)) {
      if (path !== "") expect(packages[path], path).to.deep.equal(entry);
    }
    const added = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ""));
    for (const name of Object.keys(held)) expect(added.filter((other) => other === name)).to.have.length(1);

    const chain = await chainFixture(project.folder);
    const service = await start(project.folder, chain.env);
    const { platform, arch } = process;
    const prebuilt = join(project.folder, "node_modules/secp256k1/prebuilds", `${platform}-${arch}`);
    expect(service.listening.curve).to.equal(existsSync(prebuilt) ? "native" : "portable");
    await expectVerification(service.url, chain);
    expect((await fetch(`${service.url}/openapi.json`)).status).to.equal(200);
  });

  it("signs with a key on a token where @hardhat-identity/pkcs11 is installed, and names the package where it is not", async function () {
    needSoftHsm(this);
    const token = await sharedToken();
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    const { folder } = freshProject();
    const modules = join(folder, "node_modules");
    const chain = await chainFixture(folder);
    const env = {
      ...chain.env,
      ...token.environment,
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
      IDENTITY_SIGNING_KEY: token.uri(label),
    };
    const command = join(modules, "identity-signer/cli/identity-signer.js");
    const run = () => startProcess(process.execPath, [command], { cwd: folder, env: npmEnvironment(env) });
    const service = run();
    const { key } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
    expect(key).to.equal("pkcs11");
    expect(await service.stop("SIGTERM")).to.equal(0);
    const aside = join(modules, "@hardhat-identity/pkcs11-aside");
    renameSync(join(modules, "@hardhat-identity/pkcs11"), aside);
    try {
      await run().waitFor(
        /IDENTITY_SIGNING_KEY: a key on a token needs the package @hardhat-identity\/pkcs11, which is not installed/,
      );
    } finally {
      renameSync(aside, join(modules, "@hardhat-identity/pkcs11"));
    }
  });
});
