import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import registryModule from "hardhat-identity/ignition/SignerRegistry";

/** Deploys the registry, where the deployment has none yet, and the consumer that it checks verifications for. */
export default buildModule("Airdrop", (m) => {
  const { registry } = m.useModule(registryModule);
  const consumer = m.contract("Airdrop", [registry]);
  return { registry, consumer };
});
