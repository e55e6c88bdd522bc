import { execFile, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { encryptKeystoreJson, hexlify, randomBytes, Wallet } from "ethers";
import type { ReadinessReport } from "../../packages/protocol/health.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { buildImage, canBuildImages } from "../fixtures/deploy/containerImage.ts";
import { endsWithin, read, readManifests, readUnit } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { npmEnvironment } from "../fixtures/packages/npmProject.ts";
import { startProcess } from "../fixtures/process.ts";
import { sharedPostgres } from "../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Node refuses to write, create or delete any file: a root file system that can only be read. */
const readOnly = "--permission --allow-fs-read=* --allow-addons --allow-child-process --allow-worker";

/** The files of an operator's secret by name, for a chain that is not local. */
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

  /** Writes the files, so that the service alone can read them: as root, or as Kubernetes gives them to a group. */
  async function writeSecrets(nameOf: (name: string) => string, group = 0, mode = 0o400): Promise<string> {
    const folder = await temporaryFolder();
    for (const [name, text] of Object.entries(secrets)) {
      const file = join(folder, nameOf(name));
      writeFileSync(file, text);
      chownSync(file, 0, group);
      chmodSync(file, mode);
    }
    chmodSync(folder, 0o755);
    return folder;
  }

  /** A container's mounts: the secrets, as the manifest mounts them, and the database's socket. */
  async function mounts(): Promise<Record<string, string>> {
    const { container, pod } = readManifests();
    const [mount] = container.volumeMounts;
    const [{ secret }] = pod.volumes;
    const socket = new URL(databaseUrl).searchParams.get("host") ?? "";
    const folder = await writeSecrets((name) => name, pod.securityContext.fsGroup, secret.defaultMode);
    return { [mount?.mountPath ?? ""]: folder, [socket]: socket };
  }

  /** A wallet with a credential that the consumer admits. */
  async function addWallet() {
    const wallet = Wallet.createRandom();
    const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
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
    mounts,
    addWallet,
  };
}

/** The process in the container, below those of buildah: it gets the signals of the container's runtime. */
function findFirstProcess(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")).join(" ");
  const [child] = children.split(/ +/).filter(Boolean);
  return child === undefined ? pid : findFirstProcess(Number(child));
}

/** A container's settings, with its secrets where the manifest mounts them. */
function settingsOfManifest(): Record<string, string> {
  const { container, config } = readManifests();
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  // Replicas are on one machine here.
  return { ...config.data, ...env, IDENTITY_METRICS_PORT: "0" };
}

describe("The deployment files", function () {
  this.timeout(600_000);

  let image: Awaited<ReturnType<typeof buildImage>>;
  before(async function () {
    if (!canBuildImages())
      skip(this, "images are not built here", "apt-get install --no-install-recommends buildah, as root");
    image = await buildImage();
  });

  /** The image's program on this machine, without its container. */
  const withoutContainer = (args: readonly string[]): [string, string[]] => [
    process.execPath,
    args.map((arg) => arg.replace(/^\/(app|opt\/identity-signer)\//, `${join(image.root, "app")}/`)),
  ];

  /** Starts the service, and waits until it says that it listens. */
  async function start(
    run: (env: Record<string, string>) => [string, string[]],
    given: Readonly<Record<string, string>>,
  ) {
    const port = await findFreePort();
    const env = { NODE_OPTIONS: readOnly, ...given, IDENTITY_PORT: String(port) };
    const service = startProcess(...run(env), {
      cwd: join(image.root, "app"),
      env: npmEnvironment({ ...image.env, PATH: process.env.PATH, ...env }),
    });
    const { metricsUrl } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
    return { ...service, url: `http://127.0.0.1:${port}`, metricsUrl: String(metricsUrl) };
  }

  /** Starts a container, which gets no more of this machine's environment than what is given. */
  const startContainer = (
    given: Readonly<Record<string, string>>,
    mounts: Readonly<Record<string, string>>,
    entrypoint: readonly string[] = image.entrypoint,
  ) => start((env) => image.command(entrypoint, env, mounts), given);

  /** Stops it as the runtime does, and expects it to end well and in time. */
  async function expectEnd(service: Awaited<ReturnType<typeof start>>, seconds: number): Promise<void> {
    const late = delay(seconds * 1_000).then(() => "late" as const);
    process.kill(findFirstProcess(service.process.pid ?? 0), "SIGTERM");
    expect(await Promise.race([service.ended, late]), service.output()).to.equal(0);
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

  it("run on a file system that Node cannot write to", () => {
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
      const installed = readdirSync(join(image.root, "app/node_modules"));
      expect(installed).to.include.members(["identity-signer", "secp256k1"]);
      expect(installed).not.to.include.oneOf(["hardhat", "@nomicfoundation", "oidc-provider", "typescript"]);
      const { runAsUser, runAsGroup } = readManifests().pod.securityContext;
      expect(image.user).to.equal(`${runAsUser}:${runAsGroup}`);
    });

    it("builds an image that serves with the native curve, writes no file and ends at SIGTERM", async () => {
      const operator = await operatorFixture();
      const given = { ...settingsOfManifest(), IDENTITY_REGISTRY: operator.registry };
      const service = await startContainer(given, await operator.mounts());
      expect(service.output()).to.match(/"curve":"(native|portable)"/);
      await expectVerification(service.url, operator);
      const { port } = new URL(service.url);
      const check = () => startProcess(...image.command(image.healthcheck, { IDENTITY_PORT: port })).ended;
      expect(await check()).to.equal(0);
      await expectEnd(service, endsWithin);
      expect(await check()).to.equal(1);
    });

    it("accepts the binary's other commands", async () => {
      const operator = await operatorFixture();
      const env = { ...settingsOfManifest(), NODE_OPTIONS: readOnly };
      const command = image.command([...image.entrypoint, "migrate"], env, await operator.mounts());
      const migrate = startProcess(...command);
      expect(await migrate.ended, migrate.output()).to.equal(0);
    });
  });

  describe("the Kubernetes manifest", () => {
    it("starts two replicas at once on an empty database, and its probes pass", async () => {
      const { container, pod } = readManifests();
      const operator = await operatorFixture();
      const named = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
      const ports = Object.fromEntries(
        container.ports.map(({ name, containerPort }) => [name, containerPort]),
      );
      expect(String(ports.http)).to.equal(image.env.IDENTITY_PORT);
      expect(String(ports.metrics)).to.equal(named.IDENTITY_METRICS_PORT);
      const given = { ...settingsOfManifest(), IDENTITY_REGISTRY: operator.registry };
      const mounts = await operator.mounts();
      const replicas = await Promise.all([1, 2].map(() => startContainer(given, mounts)));
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

    it("takes a replica with a removed signer out of service, and does not restart it", async () => {
      const { container } = readManifests();
      const operator = await operatorFixture();
      const { url } = await startContainer(
        {
          ...settingsOfManifest(),
          IDENTITY_REGISTRY: operator.registry,
          IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)),
        },
        await operator.mounts(),
      );
      expect((await fetch(`${url}${container.readinessProbe.httpGet.path}`)).status).to.equal(503);
      expect((await fetch(`${url}${container.livenessProbe.httpGet.path}`)).status).to.equal(200);
    });
  });

  describe("the systemd unit", () => {
    it("starts the service with its credentials, and gives it time to end", async () => {
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
      // A container has the same resource limits.
      const inContainer = image.entrypoint
        .slice(1)
        .map((arg) => arg.replace("/app/", "/opt/identity-signer/"));
      expect(args).to.deep.equal(inContainer);
      expect([env.MALLOC_ARENA_MAX, image.env.MALLOC_ARENA_MAX]).to.deep.equal(["1", "1"]);
      const service = await start(() => withoutContainer(args), {
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

  describe("the guides' commands", () => {
    /** A guide's commands, with its paths in a folder, and the service on the secrets that they make there. */
    async function guideFixture(guide: string) {
      const operator = await operatorFixture();
      const folder = await temporaryFolder();
      const secret = (name: string) => join(folder, "secrets", name);
      const commands = readSnippets(guide).filter(({ language }) => language === "sh");
      const settings = {
        IDENTITY_DATABASE_URL_FILE: secret("database-url"),
        IDENTITY_MASTER_SECRET_FILE: secret("master-secret"),
      };
      /** Types the block with a command, and answers the last line that it prints. */
      async function type(part: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
        const { text = "" } = commands.find((block) => block.text.includes(part)) ?? {};
        const here = text
          .replaceAll("/etc/identity-signer", join(folder, "secrets"))
          .replaceAll("/var/lib/identity-signer", folder)
          .replaceAll("/opt/identity-signer", join(image.root, "app"));
        const options = { cwd: join(image.root, "app"), env: { ...npmEnvironment(), ...env } };
        const { stdout } = await promisify(execFile)("bash", ["-ec", here], options);
        return stdout.trim().split("\n").at(-1) ?? "";
      }
      /** Adds a secret that the guide expects from elsewhere, such as a node's URL. */
      const bring = (name: string) => writeFileSync(secret(name), operator.secrets[name] ?? "");
      async function readiness(env: Readonly<Record<string, string>> = {}): Promise<ReadinessReport> {
        const { url } = await start(() => withoutContainer(image.entrypoint.slice(1)), {
          ...settings,
          IDENTITY_REGISTRY: operator.registry,
          IDENTITY_PUBLIC_URL: "https://identity.example",
          IDENTITY_RPC_URL_FILE: secret("rpc-url"),
          IDENTITY_SIGNING_KEY: `keystore:${secret("keystore.json")}?password-file=${secret("keystore-password")}`,
          ...env,
        });
        for (const name of Object.keys(operator.secrets))
          expect(statSync(secret(name)).mode & 0o077, name).to.equal(0);
        return (await (await fetch(`${url}/readyz`)).json()) as ReadinessReport;
      }
      return { folder, settings, type, bring, readiness };
    }
    const address = /^0x[0-9a-fA-F]{40}$/;

    it("make a service on one machine, with an SQLite store and secrets that others cannot read", async () => {
      const { folder, type, bring, readiness } = await guideFixture("docs/one-machine.md");
      const signer = await type("secret new");
      expect(signer).to.match(address);
      bring("rpc-url");
      // As in the unit, the store's folder is the only one to write to.
      const { checks } = await readiness({ NODE_OPTIONS: `${readOnly} --allow-fs-write=${folder}/*` });
      expect(checks.store.ok).to.equal(true);
      // Its owner has yet to add it.
      expect(checks.signer.detail).to.include(signer);
      expect(statSync(join(folder, "identity.sqlite")).isFile()).to.equal(true);
      // The outputs that the guide shows.
      const shown = readSnippets("docs/one-machine.md");
      const textAfter = (part: string) => shown[shown.findIndex(({ text }) => text.includes(part)) + 1]?.text;
      expect(textAfter("key new")).to.equal(`${signer.replace(/^0x\w+/, "0x…")}\n`);
      const ready = JSON.parse(textAfter("/readyz") ?? "");
      expect(Object.keys(checks)).to.include.members(Object.keys(ready.checks));
      const [, , ...lines] = (textAfter("check --url") ?? "").trim().split("\n");
      expect(lines).to.deep.equal(Object.keys(checks).map((name) => `${name.padEnd(9)}  ok`));
    });

    it("make secrets that a service starts with and others cannot read, and migrate the store", async () => {
      const { settings, type, bring, readiness } = await guideFixture("docs/deployment.md");
      await type("secret new");
      const signer = await type("key new");
      expect(signer).to.match(address);
      for (const name of ["rpc-url", "database-url"]) bring(name);
      await type("migrate --status", settings);
      expect(JSON.stringify(await readiness())).to.include(signer);
    });
  });
});
