import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { encryptKeystoreJson, hexlify, randomBytes, Wallet } from "ethers";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { buildImage, commandIn, type Image, readInstructions } from "../fixtures/deploy/containerFile.ts";
import { read, readManifests, readUnit } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { npmEnvironment, npmProject } from "../fixtures/packages/npmProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { sharedPostgres } from "../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Seconds in which the service has ended at the latest when it was asked to; see docs/signer.md. */
const endsWithin = 20;

/** Node refuses to write, create or delete any file: a root file system that can only be read. */
const readOnly = "--permission --allow-fs-read=* --allow-addons --allow-child-process --allow-worker";

/** What the secret of an operator holds, by the names of its files, for a chain that is not a local one. */
async function operatorFixture() {
  const { rpcUrl: localUrl, registry, deployer } = await serveChainWithRegistry();
  const { url: rpcUrl } = await serveProxy(localUrl, hideLocalNode);
  const { address, privateKey } = Wallet.createRandom();
  await (await registry.getFunction("addSigner")(address)).wait();
  const password = "correct horse battery staple";
  const keystore = await encryptKeystoreJson({ address, privateKey }, password, { scrypt: { N: 1024 } });
  const consumer = await deploy(deployer, "IncentiveProgram", [await registry.getAddress()]);
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const masterSecret = hexlify(randomBytes(32));
  const secrets: Record<string, string> = {
    "rpc-url": rpcUrl,
    "database-url": databaseUrl,
    "master-secret": masterSecret,
    "keystore.json": keystore,
    "keystore-password": password,
  };

  /** Writes the files, so that the service alone can read them. */
  async function writeSecrets(nameOf: (name: string) => string = (name) => name): Promise<string> {
    const folder = await temporaryFolder();
    for (const [name, text] of Object.entries(secrets)) {
      writeFileSync(join(folder, nameOf(name)), text, { mode: 0o400 });
    }
    return folder;
  }

  /** A wallet with a credential that the consumer admits. */
  async function addWallet() {
    const wallet = Wallet.createRandom();
    const store = await openCredentialStore({ databaseUrl, masterSecret });
    await store.set({
      wallet: wallet.address,
      provider: "microblog",
      accountId: wallet.address,
      traits: { followers: "1200" },
      authenticatedAt: Math.floor(Date.now() / 1000),
    });
    await store.close();
    return wallet;
  }

  return {
    registry: await registry.getAddress(),
    consumer: await consumer.getAddress(),
    secrets,
    writeSecrets,
    addWallet,
  };
}

describe("The deployment files", function () {
  this.timeout(600_000);

  let image: Image;
  const instructions = readInstructions(read("deploy/container/Containerfile"));
  before(async () => {
    const project = await npmProject();
    // Above the image, npm would take it for the image's.
    rmSync(join(project.folder, "package.json"));
    const folder = join(project.folder, "image");
    mkdirSync(folder);
    image = await buildImage(instructions, folder, npmEnvironment(project.settings));
  });

  /** Starts the service, and waits until it says that it listens. */
  async function start(command: readonly string[], env: NodeJS.ProcessEnv) {
    const [program, args] = commandIn(image, command);
    const port = await findFreePort();
    const service = startProcess(program, args, {
      cwd: join(image.root, image.workdir),
      env: npmEnvironment({ ...image.env, ...env, NODE_OPTIONS: readOnly, IDENTITY_PORT: String(port) }),
    });
    const { metricsUrl } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
    return { ...service, url: `http://127.0.0.1:${port}`, metricsUrl: String(metricsUrl) };
  }

  /** Ends it as whoever runs it does, and expects it to end well and in time. */
  async function expectEnd(service: Awaited<ReturnType<typeof start>>, seconds: number): Promise<void> {
    const late = delay(seconds * 1_000).then(() => "late" as const);
    expect(await Promise.race([service.stop("SIGTERM"), late])).to.equal(0);
  }

  /** Waits until a probe says that it is so; the test's own timeout ends it. */
  async function untilProbed(url: string): Promise<void> {
    while ((await fetch(url)).status !== 200) await delay(100);
  }

  async function expectVerification(url: string, operator: Awaited<ReturnType<typeof operatorFixture>>) {
    const request = await signedRequest(await operator.addWallet(), operator.consumer);
    const { status, body } = await requestVerification(url, request);
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  it("are tried on a file system that Node refuses to write to", () => {
    const write = ["--eval", "require('node:fs').writeFileSync('written', '')"];
    const { status, stderr } = spawnSync(process.execPath, [...readOnly.split(" "), ...write], {
      cwd: image.root,
      encoding: "utf8",
    });
    expect(status).not.to.equal(0);
    expect(stderr).to.include("ERR_ACCESS_DENIED");
  });

  describe("the container file", () => {
    it("leaves Hardhat and the sandbox's identity provider out", () => {
      const installed = execFileSync("ls", [join(image.root, "app/node_modules")], { encoding: "utf8" });
      expect(installed.split("\n")).to.include.members(["hardhat-identity", "secp256k1"]);
      expect(installed).not.to.match(/^(hardhat|@nomicfoundation|oidc-provider|typescript)$/m);
      expect(Number(image.user?.split(":")[0])).to.be.greaterThan(0);
    });

    it("makes what serves, is healthy, has the native curve, writes no file, and ends at SIGTERM", async () => {
      const operator = await operatorFixture();
      const secrets = await operator.writeSecrets();
      const service = await start(image.entrypoint, {
        IDENTITY_REGISTRY: operator.registry,
        IDENTITY_PUBLIC_URL: "https://identity.example",
        IDENTITY_RPC_URL_FILE: join(secrets, "rpc-url"),
        IDENTITY_DATABASE_URL_FILE: join(secrets, "database-url"),
        IDENTITY_MASTER_SECRET_FILE: join(secrets, "master-secret"),
        IDENTITY_SIGNING_KEY: `keystore:${join(secrets, "keystore.json")}?password-file=${join(secrets, "keystore-password")}`,
      });
      expect(service.output()).to.match(/"curve":"(native|wasm)"/);
      await expectVerification(service.url, operator);
      const [program, args] = commandIn(image, image.healthcheck);
      const check = () =>
        new Promise<number | null>((resolve) => {
          const { port } = new URL(service.url);
          const run = startProcess(program, args, { env: npmEnvironment({ IDENTITY_PORT: port }) });
          void run.ended.then(resolve);
        });
      expect(await check()).to.equal(0);
      await expectEnd(service, endsWithin);
      expect(await check()).to.equal(1);
    });

    it("takes the binary's other commands", async () => {
      const operator = await operatorFixture();
      const [program, args] = commandIn(image, [...image.entrypoint, "migrate"]);
      const env = {
        ...image.env,
        NODE_OPTIONS: readOnly,
        IDENTITY_DATABASE_URL: operator.secrets["database-url"],
        IDENTITY_MASTER_SECRET: operator.secrets["master-secret"],
      };
      const migrate = startProcess(program, args, { env: npmEnvironment(env) });
      expect(await migrate.ended, migrate.output()).to.equal(0);
    });
  });

  describe("the Kubernetes manifest", () => {
    it("starts two replicas at once on an empty database, which its probes find well", async () => {
      const { container, config, pod } = readManifests();
      const operator = await operatorFixture();
      const secrets = await operator.writeSecrets();
      const [mount] = container.volumeMounts;
      const env = Object.fromEntries(
        container.env.map(({ name, value }) => [name, value.replaceAll(mount?.mountPath ?? "", secrets)]),
      );
      const ports = Object.fromEntries(
        container.ports.map(({ name, containerPort }) => [name, containerPort]),
      );
      expect(String(ports.http)).to.equal(image.env.IDENTITY_PORT);
      expect(String(ports.metrics)).to.equal(env.IDENTITY_METRICS_PORT);
      // Both are on one machine here.
      const given = {
        ...config.data,
        ...env,
        IDENTITY_REGISTRY: operator.registry,
        IDENTITY_METRICS_PORT: "0",
      };
      const replicas = await Promise.all([1, 2].map(() => start(image.entrypoint, given)));
      for (const { url, metricsUrl } of replicas) {
        expect(await (await fetch(`${metricsUrl}/metrics`)).text()).to.include("identity_ready");
        expect((await fetch(`${url}/metrics`)).status).to.equal(404);
        for (const { httpGet } of [
          container.startupProbe,
          container.livenessProbe,
          container.readinessProbe,
        ]) {
          expect(httpGet.port).to.equal("http");
          await untilProbed(`${url}${httpGet.path}`);
        }
        await expectVerification(url, operator);
      }
      const left = pod.terminationGracePeriodSeconds;
      expect(left).to.be.greaterThan(endsWithin);
      for (const replica of replicas) await expectEnd(replica, left);
    });

    it("takes a replica out of service whose signer is not on the allowlist, and does not restart it", async () => {
      const { container } = readManifests();
      const operator = await operatorFixture();
      const secrets = await operator.writeSecrets();
      const another = { IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)) };
      const { url } = await start(image.entrypoint, {
        ...another,
        IDENTITY_REGISTRY: operator.registry,
        IDENTITY_PUBLIC_URL: "https://identity.example",
        IDENTITY_RPC_URL_FILE: join(secrets, "rpc-url"),
        IDENTITY_DATABASE_URL_FILE: join(secrets, "database-url"),
        IDENTITY_MASTER_SECRET_FILE: join(secrets, "master-secret"),
      });
      expect((await fetch(`${url}${container.readinessProbe.httpGet.path}`)).status).to.equal(503);
      expect((await fetch(`${url}${container.livenessProbe.httpGet.path}`)).status).to.equal(200);
    });
  });

  describe("the systemd unit", () => {
    it("starts the service with its credentials, and leaves it the time to end", async () => {
      const unit = readUnit();
      const operator = await operatorFixture();
      // By the names that the unit gives them, where systemd would put them.
      const credentials = new Map(
        unit.all("LoadCredential").map((line) => {
          const [name = "", path = ""] = line.split(":");
          return [path.replace("/etc/identity-signer/", ""), name];
        }),
      );
      expect([...credentials.keys()]).to.have.members(Object.keys(operator.secrets));
      const folder = await operator.writeSecrets((name) => credentials.get(name) ?? name);
      const lines = [...unit.all("Environment"), ...read("deploy/systemd/environment").split("\n")];
      const env = Object.fromEntries(
        lines
          .filter((line) => /^\w+=/.test(line))
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])
          .map(([name, value = ""]) => [name, value.replaceAll("%d", folder)]),
      );
      const [command = ""] = unit.all("ExecStart");
      const [program, ...args] = command.split(" ");
      expect(program).to.equal("/usr/bin/node");
      // What a process may take is the same in a container.
      const inContainer = image.entrypoint
        .slice(1)
        .map((arg) => arg.replace("/app/", "/opt/identity-signer/"));
      expect(args).to.deep.equal(inContainer);
      expect([env.MALLOC_ARENA_MAX, image.env.MALLOC_ARENA_MAX]).to.deep.equal(["1", "1"]);
      const inImage = args.map((arg) => arg.replace("/opt/identity-signer/", "/app/"));
      const service = await start(["node", ...inImage], {
        ...env,
        IDENTITY_REGISTRY: operator.registry,
        IDENTITY_METRICS_PORT: "0",
      });
      await untilProbed(`${service.url}/readyz`);
      await expectVerification(service.url, operator);
      const [patience] = unit.all("TimeoutStopSec");
      expect(Number(patience)).to.be.greaterThan(endsWithin);
      await expectEnd(service, Number(patience));
    });
  });

  describe("the guide's commands", () => {
    const guide = "docs/deployment.md";
    const commands = readSnippets(guide)
      .filter(({ language }) => language === "sh")
      .map(({ text }) => text);
    const find = (part: string) => commands.find((text) => text.includes(part)) ?? "";

    it("make secrets that a service starts with, bring the store to its schema, and are refused to others", async () => {
      const operator = await operatorFixture();
      const folder = await temporaryFolder();
      const here = (text: string) =>
        text
          .replaceAll("/etc/identity-signer", join(folder, "secrets"))
          .replaceAll("/opt/identity-signer", join(image.root, "app"));
      const env = npmEnvironment();
      const type = (text: string, more: NodeJS.ProcessEnv = {}) =>
        promisify(execFile)("bash", ["-ec", here(text)], {
          cwd: join(image.root, "app"),
          env: { ...env, ...more },
        });
      await type(find("openssl rand -hex 32"));
      const { stdout } = await type(find("wallet.encrypt"));
      expect(stdout.trim()).to.match(/^0x[0-9a-fA-F]{40}$/);
      // Where the guide has somebody's node and database.
      const secret = (name: string) => join(folder, "secrets", name);
      for (const name of ["rpc-url", "database-url"])
        writeFileSync(secret(name), operator.secrets[name] ?? "");
      const settings = {
        IDENTITY_DATABASE_URL_FILE: secret("database-url"),
        IDENTITY_MASTER_SECRET_FILE: secret("master-secret"),
      };
      await type(find("migrate --status"), settings);
      const { url } = await start(image.entrypoint, {
        ...settings,
        IDENTITY_REGISTRY: operator.registry,
        IDENTITY_PUBLIC_URL: "https://identity.example",
        IDENTITY_RPC_URL_FILE: secret("rpc-url"),
        IDENTITY_SIGNING_KEY: `keystore:${secret("keystore.json")}?password-file=${secret("keystore-password")}`,
      });
      const answer = await (await fetch(`${url}/readyz`)).json();
      // Its owner has yet to add it.
      expect(JSON.stringify(answer)).to.include(stdout.trim());
      for (const name of Object.keys(operator.secrets))
        expect(statSync(secret(name)).mode & 0o077, name).to.equal(0);
    });
  });
});
