import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";

/** Deploys the registry. Parameters: `owner` (address), `signers` (array of addresses, may be empty). */
export default buildModule("SignerRegistry", (m) => {
  const owner = m.getParameter<string>("owner");
  const signers = m.getParameter<string[]>("signers");
  const registry = m.contract("SignerRegistry", readArtifact("SignerRegistry"), [owner, signers]);
  return { registry };
});
