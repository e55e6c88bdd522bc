import { readArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";

/** Deploys the mint example. Parameter: `registry`, the address of a deployed registry. */
export default buildCheckedModule("MembershipPass", { registry: "registry" }, (m, { registry }) => {
  const pass = m.contract("MembershipPass", readArtifact("examples/MembershipPass"), [registry]);
  return { pass };
});
