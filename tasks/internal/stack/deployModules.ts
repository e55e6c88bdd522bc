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
import { readModule, readParameters } from "../deployment/readModule.ts";
import { temporaryFolder } from "../temporaryFolder.ts";
import { connectToNode } from "./connect.ts";
import type { Order, ProjectConsumer } from "./projectModules.ts";

const order = await new Promise<Order>((resolve) => process.once("message", resolve));
// A copy of the stack's journal contains the stack's registry, but no earlier deployment of the project's modules.
const journal = temporaryFolder("hardhat-identity-journal-");
cpSync(order.journal, journal, { recursive: true });
process.send?.(await deployModules(order, journal));

async function deployModules(
  { modules, rpcUrl, registry, registryParameters }: Order,
  journal: string,
): Promise<ProjectConsumer[]> {
  const { provider } = await connectToNode(hre, rpcUrl);
  const accounts = (await provider.request({ method: "eth_accounts" })) as string[];
  const before = await status(journal);
  for (const file of modules) {
    const ignitionModule = await readModule(file);
    if (ignitionModule === undefined) throw new Error(`${file} no longer exists.`);
    const given = await readParameters(undefined, ignitionModule.id, hre.config.paths.ignition);
    const result = await deploy({
      provider,
      ignitionModule,
      deploymentDir: journal,
      artifactResolver: new HardhatArtifactResolver(hre.artifacts),
      deploymentParameters: {
        ...withRegistry(given, registry),
        SignerRegistry: registryParameters,
      },
      accounts,
      config: { blockPollingInterval: 50, requiredConfirmations: 1 },
    });
    if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
      throw new Error(errorDeploymentResultToExceptionMessage(result));
    }
  }
  const { contracts } = await status(journal);
  const added = Object.values(contracts).filter(
    ({ id, abi }) => !(id in before.contracts) && isConsumer(abi),
  );
  return added.map(({ id, contractName, address, abi }) => {
    const isAmbiguous =
      Object.values(contracts).filter((other) => other.contractName === contractName).length > 1;
    return { name: isAmbiguous ? id : contractName, address, abi };
  });
}

/** Sets the parameter `registry` of every module to the stack's registry, and keeps the project's other parameters. */
function withRegistry(given: DeploymentParameters, registry: string): DeploymentParameters {
  const others = Object.entries(given).map(([id, { registry: _, ...rest }]) => [id, rest]);
  return { ...Object.fromEntries(others), $global: { ...given.$global, registry } };
}

function isConsumer(abi: readonly { type: string; name?: string }[]): boolean {
  return ["provider", "conditions"].every((getter) =>
    abi.some(({ type, name }) => type === "function" && name === getter),
  );
}
