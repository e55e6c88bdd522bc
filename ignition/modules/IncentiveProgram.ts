import { readArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";

/** Deploys the claim example. Parameter: `registry`, the address of a deployed registry. */
export default buildCheckedModule("IncentiveProgram", { registry: "registry" }, (m, { registry }) => {
  const program = m.contract("IncentiveProgram", readArtifact("examples/IncentiveProgram"), [registry]);
  return { program };
});
