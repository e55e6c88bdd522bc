import { readArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";

/** Deploys the vote example. Parameter: `registry`, the address of a deployed registry. */
export default buildCheckedModule("Ballot", { registry: "registry" }, (m, { registry }) => {
  const ballot = m.contract("Ballot", readArtifact("examples/Ballot"), [registry]);
  return { ballot };
});
