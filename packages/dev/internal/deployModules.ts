// The script that `identity dev --deploy` runs with `hardhat run`, in a separate process, which compiles the project
// first.
import { cpSync } from "node:fs";
import {
  errorDeploymentResultToExceptionMessage,
  HardhatArtifactResolver,
} from "@nomicfoundation/hardhat-ignition/helpers";
import {
  type DeploymentParameters,
  DeploymentResultType,
  deploy,
  status,
} from "@nomicfoundation/ignition-core";
import hre from "hardhat";
import { readModule, readParameters } from "hardhat-identity/internal/deployment/readModule";
import { connectToNode } from "hardhat-identity/internal/stack/connect";
import { temporaryFolder } from "hardhat-identity/internal/temporaryFolder";
import { fingerprint } from "./fingerprint.ts";
import { listConsumers } from "./listConsumers.ts";
import type { Deployed, Order } from "./projectModules.ts";

const order = await new Promise<Order>((resolve) => process.once("message", resolve));
process.send?.(await deployModules(order));

async function deployModules(order: Order): Promise<Deployed> {
  const { provider } = await connectToNode(hre, order.rpcUrl);
  const accounts = (await provider.request({ method: "eth_accounts" })) as string[];
  const modules = await Promise.all(order.modules.map((file) => readDeployment(file, order)));
  const artifactResolver = new HardhatArtifactResolver(hre.artifacts);
  const hash = await fingerprint(modules, artifactResolver);
  if (hash === order.deployed) return { fingerprint: hash };
  // A copy of the stack's journal contains the stack's registry, but no earlier deployment of the project's modules.
  const journal = temporaryFolder("hardhat-identity-journal-");
  cpSync(order.journal, journal, { recursive: true });
  const before = await status(journal);
  for (const { ignitionModule, parameters } of modules) {
    const result = await deploy({
      provider,
      ignitionModule,
      deploymentDir: journal,
      artifactResolver,
      deploymentParameters: parameters,
      accounts,
      config: { blockPollingInterval: 50, requiredConfirmations: 1 },
    });
    if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
      throw new Error(errorDeploymentResultToExceptionMessage(result));
    }
  }
  const { contracts } = await status(journal);
  const added = Object.values(contracts).filter(({ id }) => !(id in before.contracts));
  return { fingerprint: hash, consumers: await listConsumers(provider, added) };
}

async function readDeployment(file: string, { registry, registryParameters }: Order) {
  const ignitionModule = await readModule(file);
  if (ignitionModule === undefined) throw new Error(`${file} no longer exists.`);
  const given = await readParameters(undefined, ignitionModule.id, hre.config.paths.ignition);
  return {
    ignitionModule,
    parameters: { ...withRegistry(given, registry), SignerRegistry: registryParameters },
  };
}

/** Sets the parameter `registry` of every module to the stack's registry, and keeps the project's other parameters. */
function withRegistry(given: DeploymentParameters, registry: string): DeploymentParameters {
  const others = Object.entries(given).map(([id, { registry: _, ...rest }]) => [id, rest]);
  return { ...Object.fromEntries(others), $global: { ...given.$global, registry } };
}
