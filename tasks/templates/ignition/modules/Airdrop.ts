import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";

/** Deploys the consumer. Parameter: `registry`, the address of the registry that checks its verifications. */
export default buildModule("Airdrop", (m) => {
  const consumer = m.contract("Airdrop", [m.getParameter<string>("registry")]);
  return { consumer };
});
