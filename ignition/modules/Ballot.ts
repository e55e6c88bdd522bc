import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";

/** Deploys the vote example. Parameter: `registry`, the address of a deployed registry. */
export default buildModule("Ballot", (m) => {
  const registry = m.getParameter<string>("registry");
  const ballot = m.contract("Ballot", readArtifact("examples/Ballot"), [registry]);
  return { ballot };
});
