import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";

/** Deploys the mint example. Parameter: `registry`, the address of a deployed registry. */
export default buildModule("MembershipPass", (m) => {
  const registry = m.getParameter<string>("registry");
  const pass = m.contract("MembershipPass", readArtifact("examples/MembershipPass"), [registry]);
  return { pass };
});
