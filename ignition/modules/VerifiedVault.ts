import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";

/**
 * Deploys the deposit example. Parameters: `registry`, the address of a deployed registry, and `token`, the address of
 * the ERC-20 token to deposit.
 */
export default buildModule("VerifiedVault", (m) => {
  const registry = m.getParameter<string>("registry");
  const token = m.getParameter<string>("token");
  const vault = m.contract("VerifiedVault", readArtifact("examples/VerifiedVault"), [registry, token]);
  return { vault };
});
