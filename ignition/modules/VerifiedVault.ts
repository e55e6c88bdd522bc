import { readArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";

/**
 * Deploys the deposit example. Parameters: `registry`, the address of a deployed registry, and `token`, the address of
 * the ERC-20 token to deposit.
 */
export default buildCheckedModule(
  "VerifiedVault",
  { registry: "registry", token: "contract" },
  (m, { registry, token }) => {
    const vault = m.contract("VerifiedVault", readArtifact("examples/VerifiedVault"), [registry, token]);
    return { vault };
  },
);
