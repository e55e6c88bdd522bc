import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { startSandbox } from "../../../sandbox/sandbox.ts";
import { loadConfig, startSigner } from "../../../signer/index.ts";
import type { WalletSettings } from "../../../wallet/index.ts";
import { findBundles } from "../../../web/server/bundles.ts";
import { serveDemo } from "../../../web/server/serveDemo.ts";
import { localNetwork } from "../../hooks/config.ts";
import { withWalletSettings } from "../wallet/withWalletSettings.ts";
import { connectToNode } from "./connect.ts";
import { loopback, requireFreePort } from "./ports.ts";
import { announceStack, type RunningStack, temporaryStorePrefix } from "./running.ts";

/** How the stack is started. */
export interface StackOptions {
  /** Port of the chain's JSON-RPC endpoint; 0 for any free one. */
  readonly rpcPort: number;
  /** Port of the signer service; 0 for any free one. */
  readonly port: number;
  /** Port of the demo; 0 for any free one. */
  readonly demoPort: number;
  /** File of the credential store that outlives the stack; by default one that is deleted with it. */
  readonly store: string | undefined;
  /** Seconds between blocks; by default there is a block for each transaction. */
  readonly blockTime: number | undefined;
  /** How the chain's wallet starts, where it differs from the configuration. */
  readonly wallet: Partial<WalletSettings>;
  /** Told of every step before it is taken. */
  readonly onStep: (step: string) => void;
}

/** A stack that runs in this process. */
export interface Stack extends RunningStack {
  /** The chain's accounts, whose keys are Hardhat's well-known ones. */
  readonly accounts: readonly string[];
  /** The page on which a person proves an account. */
  readonly verifyUrl: string;
  readonly demoUrl: string;
  /** Stops everything and leaves nothing behind, except a store that was asked for. */
  close(): Promise<void>;
}

/**
 * Starts chain 84532, the registry, the example consumers, the sandbox identity provider, the signer service with its
 * verify page, and the demo, all on loopback.
 *
 * @throws InvalidInputError when a port is taken or the store cannot be used; nothing is left running then.
 */
export async function startStack(hre: HardhatRuntimeEnvironment, options: StackOptions): Promise<Stack> {
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await requireFreePort("--rpc-port", options.rpcPort);
    await requireFreePort("--port", options.port);
    await requireFreePort("--demo-port", options.demoPort);

    options.onStep("Compiling the contracts");
    await hre.tasks.getTask("build").run({ quiet: true, noTests: true });

    options.onStep("Starting the chain");
    const server = await withWalletSettings(hre, options.wallet, () =>
      hre.network.createServer(localNetwork, loopback, options.rpcPort),
    );
    const rpcUrl = `http://${loopback}:${(await server.listen()).port}`;
    undo.push(() => server.close());
    const connection = await connectToNode(hre, rpcUrl);
    undo.push(() => connection.close());
    const { provider: node } = connection;

    options.onStep("Deploying the registry and the example consumers");
    // The modules read what was just compiled; in a fresh clone there is nothing to read before.
    const { deployStack } = await import("./deploy.ts");
    const { registry, consumers } = await deployStack(node, development.signer);
    if (options.blockTime !== undefined) await mineEvery(node, options.blockTime);

    options.onStep("Starting the signer service, its verify page and the demo");
    const bundles = await findBundles();
    const sandbox = await startSandbox({ node });
    undo.push(() => sandbox.close());
    const databaseUrl = `file:${options.store ? resolve(options.store) : temporaryStore()}`;
    const chainId = Number(await node.request({ method: "eth_chainId" }));
    const config = loadConfig({
      IDENTITY_LOG_LEVEL: process.env.IDENTITY_LOG_LEVEL ?? "warn",
      IDENTITY_RATE_LIMIT: "0",
      IDENTITY_HOST: loopback,
      IDENTITY_PORT: String(options.port),
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_CHAIN_ID: String(chainId),
      IDENTITY_REGISTRY: registry,
      DATABASE_URL: databaseUrl,
    });
    const signer = await startSigner(
      { ...config, providers: sandbox.clients },
      { verifyBundle: bundles.verify },
    );
    undo.push(() => signer.close());

    const stack = {
      rpcUrl,
      chainId,
      registry,
      signer: signer.signer,
      signerUrl: signer.url,
      consumers,
      pid: process.pid,
      port: signer.port,
      databaseUrl,
    };
    const demo = await serveDemo({
      config: {
        chainId,
        rpcUrl,
        registry,
        signerUrl: signer.url,
        consumers,
        ballotCode: readArtifact("examples/Ballot").bytecode,
      },
      bundle: bundles.demo,
      port: options.demoPort,
    });
    undo.push(() => demo.close());
    undo.push(announceStack(stack));
    const accounts = (await node.request({ method: "eth_accounts" })) as string[];
    const pages = { verifyUrl: `${signer.url}/verify`, demoUrl: demo.url };
    return { ...stack, ...pages, accounts: accounts.map(checksumAddress), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A file in a folder that is deleted with the process, also when it ends while the stack starts. */
function temporaryStore(): string {
  const folder = mkdtempSync(join(tmpdir(), temporaryStorePrefix));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "credentials.sqlite");
}

async function mineEvery(node: Eip1193Connection, seconds: number): Promise<void> {
  await node.request({ method: "evm_setAutomine", params: [false] });
  await node.request({ method: "evm_setIntervalMining", params: [seconds * 1000] });
}
