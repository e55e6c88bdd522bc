import { readArtifact } from "../artifacts.ts";
import { buildCheckedModule } from "../checkedModule.ts";

/** Deploys the registry. Parameters: `owner` (address), `signers` (array of addresses, may be empty). */
export default buildCheckedModule(
  "SignerRegistry",
  { owner: "trusted", signers: "trusted list" },
  (m, { owner, signers }) => {
    const registry = m.contract("SignerRegistry", readArtifact("SignerRegistry"), [owner, signers]);
    return { registry };
  },
);
