import { existsSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { artifactsFolder, readArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { createLogger, loadConfig, startSigner } from "@hardhat-identity/signer";
import { loadPageConfig, readProviderSettings, verifyPage } from "@hardhat-identity/verify-page";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { miningOf } from "hardhat-identity/internal/fastBlocks";
import { localNetwork } from "hardhat-identity/internal/localNetwork";
import { connectToNode } from "hardhat-identity/internal/stack/connect";
import { chooseDemoPort, loopback, requireFreePort } from "hardhat-identity/internal/stack/ports";
import {
  announceStack,
  type ProjectConsumer,
  type RunningStack,
  temporaryStorePrefix,
} from "hardhat-identity/internal/stack/running";
import { temporaryFolder } from "hardhat-identity/internal/temporaryFolder";
import { startSandbox } from "../sandbox/sandbox.ts";
import { proveForDemo } from "./demoPeople.ts";
import { findDemo } from "./findDemo.ts";
import { findModules, followProject, type Listener } from "./projectModules.ts";
import { serveDemo } from "./serveDemo.ts";
import { tellLine } from "./tellLine.ts";

/** Options of the stack. */
export interface StackOptions {
  /** Port of the chain's JSON-RPC endpoint; 0 for any free one. */
  readonly rpcPort: number;
  /** Port of the signer service; 0 for any free one. */
  readonly port: number;
  /** Port of the demo; 0 for any free one. Defaults to one derived from the service's. */
  readonly demoPort: number | undefined;
  /** The project's Ignition modules to deploy; see `findModules`. */
  readonly deploy: string | undefined;
  /** File to keep the credential store in. By default, the store is deleted when the stack stops. */
  readonly store: string | undefined;
  /**
   * Seconds between blocks. By default, every transaction gets its own block at once. Below a second, the chain is as Base:
   * several blocks share a second and its timestamp, and none is pending.
   */
  readonly blockTime: number | undefined;
  /** Whether people read the service's log, at a terminal. By default, it is JSON. */
  readonly isTerminal?: boolean;
  /** Called before every step. */
  readonly onStep: (step: string) => void;
  /** Called when the project's modules were redeployed or could not be deployed. */
  readonly onProject: Listener;
}

/** A stack in this process. */
export interface Stack extends RunningStack {
  /** The chain's accounts, whose keys are Hardhat's well-known ones. */
  readonly accounts: readonly string[];
  /** The page on which a person proves an account. */
  readonly verifyUrl: string;
  readonly demoUrl: string;
  /** Where the verify page has people sign in. */
  readonly sandboxUrl: string;
  /** Stops everything and deletes everything except a store that the options name. */
  close(): Promise<void>;
}

/**
 * Starts chain 84532, the registry, the example consumers, the sandbox identity provider, the signer service with its
 * verify page, and the demo, all on loopback.
 *
 * @throws InvalidInputError if a port is taken or the store cannot be used. Nothing keeps running in that case.
 */
export async function startStack(hre: HardhatRuntimeEnvironment, options: StackOptions): Promise<Stack> {
  const started: Part[] = [];
  const keep: Keep = (part) => {
    started.push(part);
    return part;
  };
  const close = async () => {
    const failures: unknown[] = [];
    for (const part of started.splice(0).reverse()) {
      try {
        await part.close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return await startParts(hre, options, keep, close);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** A part of the stack, which is closed with it, last started first. */
type Part = { close(): unknown };
type Keep = <T extends Part>(part: T) => T;

async function startParts(
  hre: HardhatRuntimeEnvironment,
  options: StackOptions,
  keep: Keep,
  close: Stack["close"],
): Promise<Stack> {
  await requireFreePort("--rpc-port", options.rpcPort);
  await requireFreePort("--port", options.port);
  const demoPort = options.demoPort ?? (await chooseDemoPort(options.port));
  await requireFreePort("--demo-port", demoPort);
  const modules = options.deploy && findModules(options.deploy, hre.config.paths.ignition);
  await compileOwnContracts(hre, options.onStep);

  const { node, rpcUrl, chainId, accounts } = await startChain(hre, options, keep);

  options.onStep("Deploying the registry and the example consumers");
  // Imported now, because the modules read artifacts that a fresh clone does not have before compilation.
  const { deployStack } = await import("./deploy.ts");
  const journal = modules && temporaryFolder("hardhat-identity-journal-");
  const registryParameters = { owner: accounts[0] ?? "", signers: [development.signer] };
  const { registry, consumers: examples } = await deployStack(node, registryParameters, journal);

  options.onStep("Starting the signer service, its verify page and the demo");
  const { IDENTITY_CONNECTORS } = process.env;
  const { connectors } = await readProviderSettings({ IDENTITY_CONNECTORS });
  const sandbox = keep(await startSandbox({ node, connectors }));
  const databaseUrl = `file:${options.store ? resolve(options.store) : join(temporaryFolder(temporaryStorePrefix), "credentials.sqlite")}`;
  const settings = configureService(options.port, demoPort, { rpcUrl, chainId, registry, databaseUrl });
  const service = keep(await startService(settings, sandbox.clients, options));
  const places = { rpcUrl, chainId, registry, signerUrl: service.url };
  let own: readonly ProjectConsumer[] = [];
  const demo = keep(
    await serveDemo({
      config: { ...places, sandboxUrl: sandbox.url, consumers: examples, codes: readCodes(examples) },
      prepare: onceDone(() => proveForDemo({ node, databaseUrl, accounts, sandbox })),
      listOwn: () => own,
      bundle: await findDemo(),
      port: demoPort,
    }),
  );

  // An example leaves its name to a module of the project's, even while that one does not compile.
  const isOwn = (name: string) => (modules || []).some((file) => parse(file).name === name);
  const others = Object.fromEntries(Object.entries(examples).filter(([name]) => !isOwn(name)));
  const listConsumers = () => ({
    ...others,
    ...Object.fromEntries(own.map(({ name, address }) => [name, address])),
  });
  const stack = {
    ...places,
    signer: service.signer,
    pid: process.pid,
    port: service.port,
    databaseUrl,
    folder: hre.config.paths.root,
  };
  const announce = () => announceStack({ ...stack, consumers: listConsumers(), own });
  if (modules && journal) {
    options.onStep("Compiling the project and deploying its modules");
    const order = { modules, rpcUrl, journal, registry, registryParameters };
    keep(
      await followProject(hre, order, {
        ...options.onProject,
        onDeployed(consumers, cause) {
          own = consumers;
          if (cause === undefined) return;
          announce();
          options.onProject.onDeployed(consumers, cause);
        },
      }),
    );
  }
  if (options.blockTime !== undefined) await mineEvery(node, options.blockTime);
  keep({ close: announce() });
  return {
    ...stack,
    get consumers() {
      return listConsumers();
    },
    get own() {
      return own;
    },
    accounts: accounts.map(checksumAddress),
    verifyUrl: service.verifyUrl,
    demoUrl: demo.url,
    sandboxUrl: sandbox.url,
    close,
  };
}

/**
 * Compiles the stack's contracts in this repository, where they are the project's own. Elsewhere the package includes
 * them, and the stack must start even if the project does not compile.
 */
async function compileOwnContracts(
  hre: HardhatRuntimeEnvironment,
  onStep: StackOptions["onStep"],
): Promise<void> {
  if (hre.config.paths.artifacts !== dirname(artifactsFolder)) return;
  const first = existsSync(artifactsFolder) ? "" : ", which takes about a minute the first time";
  onStep(`Compiling the contracts${first}`);
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
}

/** Starts the chain, which mines every transaction at once: until everything is deployed, nobody waits for a block. */
async function startChain(
  hre: HardhatRuntimeEnvironment,
  { rpcPort, blockTime, onStep }: StackOptions,
  keep: Keep,
) {
  // Compiling takes long enough for another program to take it, and Hardhat's server throws that where nobody can catch it.
  await requireFreePort("--rpc-port", rpcPort);
  onStep("Starting the chain");
  const isFast = blockTime !== undefined && blockTime < 1;
  const override = isFast ? miningOf(blockTime * 1_000) : {};
  const server = await hre.network.createServer({ network: localNetwork, override }, loopback, rpcPort);
  const rpcUrl = `http://${loopback}:${(await server.listen()).port}`;
  keep(server);
  const { provider: node } = keep(await connectToNode(hre, rpcUrl));
  if (isFast) await mineEvery(node, undefined);
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  return { node, rpcUrl, chainId, accounts };
}

async function startService(
  settings: NodeJS.Dict<string>,
  providers: Awaited<ReturnType<typeof startSandbox>>["clients"],
  { isTerminal }: StackOptions,
) {
  const pages = await verifyPage({ ...loadPageConfig(settings), providers });
  const config = loadConfig(settings);
  const logger = isTerminal ? createLogger(config.logLevel, { write: tellLine }) : undefined;
  return await startSigner(config, { pages, ...(logger && { logger }) });
}

/** Reads the bytecode of each example by its name. */
const readCodes = (examples: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(examples).map((name) => [name, readArtifact(`examples/${name}`).bytecode]));

/** Does something when first asked, and again only after it failed. */
function onceDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** Configures the service. It takes from the environment the log level and the corrections of connectors alone. */
function configureService(
  port: number,
  demoPort: number,
  stack: Pick<RunningStack, "rpcUrl" | "chainId" | "registry" | "databaseUrl">,
): NodeJS.Dict<string> {
  return {
    IDENTITY_LOG_LEVEL: process.env.IDENTITY_LOG_LEVEL ?? "warn",
    IDENTITY_CONNECTORS: process.env.IDENTITY_CONNECTORS,
    IDENTITY_RATE_LIMIT: "0",
    IDENTITY_WALLET_RATE_LIMIT: "0",
    // Retention goes by the chain's clock, which stands still between two claims here.
    IDENTITY_AUDIT_RETENTION: "0",
    IDENTITY_HOST: loopback,
    IDENTITY_PORT: String(port),
    IDENTITY_RPC_URL: stack.rpcUrl,
    IDENTITY_CHAIN_ID: String(stack.chainId),
    IDENTITY_REGISTRY: stack.registry,
    IDENTITY_DATABASE_URL: stack.databaseUrl,
    IDENTITY_REDIRECT_ORIGINS: `${new URL(`http://${loopback}:${demoPort}`).origin}=hardhat-identity demo`,
  };
}

/** @param seconds `undefined` to mine every transaction at once. */
async function mineEvery(node: Eip1193Connection, seconds: number | undefined): Promise<void> {
  await node.request({ method: "evm_setAutomine", params: [seconds === undefined] });
  await node.request({
    method: "evm_setIntervalMining",
    params: [Math.round((seconds ?? 0) * 1_000)],
  });
}
