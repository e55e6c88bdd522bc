import { join } from "node:path";
import { readChainTime } from "@hardhat-identity/protocol/chain/clock";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { findRegistryProblem } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { loadConfig, startSigner } from "@hardhat-identity/signer";
import { removeFolder, temporaryFolder } from "hardhat-identity/internal/temporaryFolder";
import { checkMembers, readAddress } from "hardhat-identity/internal/testing/arguments";
import { readCredentials } from "hardhat-identity/internal/testing/credentials";
import type { Remembered } from "hardhat-identity/internal/testing/explain";
import { requestForTest } from "hardhat-identity/internal/testing/request";
import type { ServiceOptions, TestService } from "hardhat-identity/internal/testing/service";
import { withDevelopmentStore } from "./credentials.ts";
import { serveNode } from "./serveNode.ts";

/** Starts the service with its own store. It does not keep the process alive. */
export async function startTestService(
  node: Eip1193Connection,
  remembered: Remembered,
  options: ServiceOptions,
  deployed: Hex | undefined,
): Promise<TestService> {
  checkMembers("identity.startService", options, ["credentials", "registry"]);
  const credentials = readCredentials(options.credentials);
  const registry = options.registry === undefined ? deployed : readAddress("registry", options.registry);
  if (registry === undefined) {
    throw new InvalidInputError(
      "The service signs for one registry, and none was deployed here: call identity.deployRegistry() first, or give " +
        "`registry`.",
    );
  }
  if (!(await isLocalNode(node))) {
    throw new InvalidInputError(
      "A test's service runs with public development secrets, and this chain is not a local node; `identity-signer` runs " +
        "the service with your own secrets.",
    );
  }
  const problem = await findRegistryProblem(node, registry);
  if (problem !== undefined) {
    throw new InvalidInputError(
      `${problem} Deploy the service's registry in the same fixture, or name it in \`registry\`.`,
    );
  }
  const folder = temporaryFolder("hardhat-identity-test-");
  const databaseUrl = `file:${join(folder, "credentials.sqlite")}`;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const { now } = await readChainTime(node);
  await withDevelopmentStore({ databaseUrl, chainId }, async (store) => {
    for (const { authenticatedAt = now, ...credential } of credentials) {
      await store.set({ ...credential, authenticatedAt });
    }
  });
  const served = await serveNode(node);
  const stop = async () => {
    await served.close();
    removeFolder(folder);
  };
  const settings = {
    IDENTITY_LOG_LEVEL: process.env.IDENTITY_LOG_LEVEL ?? "error",
    IDENTITY_RATE_LIMIT: "0",
    IDENTITY_WALLET_RATE_LIMIT: "0",
    IDENTITY_PORT: "0",
    IDENTITY_RPC_URL: served.url,
    IDENTITY_CHAIN_ID: String(chainId),
    IDENTITY_REGISTRY: registry,
    IDENTITY_DATABASE_URL: databaseUrl,
  };
  const start = async () => startSigner(loadConfig(settings));
  const running = await start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  running.unref();
  const close = () => running.close().finally(stop);
  return {
    url: running.url,
    registry,
    request: (asked) => requestForTest(node, remembered, { ...running, registry }, asked),
    close,
    [Symbol.asyncDispose]: close,
  };
}
