import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";
import SignerRegistry from "./SignerRegistry.ts";

/** Deploys a registry (parameters as in `SignerRegistry`) and every example consumer. */
export default buildModule("Examples", (m) => {
  const { registry } = m.useModule(SignerRegistry);
  const program = m.contract("IncentiveProgram", readArtifact("examples/IncentiveProgram"), [registry]);
  return { registry, program };
});
