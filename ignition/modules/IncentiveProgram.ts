import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";

/** Deploys the claim example. Parameter: `registry`, the address of a deployed registry. */
export default buildModule("IncentiveProgram", (m) => {
  const registry = m.getParameter<string>("registry");
  const program = m.contract("IncentiveProgram", readArtifact("examples/IncentiveProgram"), [registry]);
  return { program };
});
