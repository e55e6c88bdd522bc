import { buildModule } from "@nomicfoundation/ignition-core";
import { readArtifact } from "../artifacts.ts";
import SignerRegistry from "./SignerRegistry.ts";

/**
 * Deploys everything from scratch: a registry (with the parameters of `SignerRegistry`), every example consumer, and
 * the token of the vault. To deploy one example for an existing registry, use the example's own module; `identity init`
 * writes that of an airdrop.
 */
export default buildModule("Examples", (m) => {
  const { registry } = m.useModule(SignerRegistry);
  const token = m.contract("ExampleToken", readArtifact("examples/ExampleToken"), [], {
    // Deployed later, so that the registry's address does not depend on the examples.
    after: [registry],
  });
  return {
    registry,
    token,
    airdrop: m.contract("Airdrop", readArtifact("examples/Airdrop"), [registry]),
    program: m.contract("IncentiveProgram", readArtifact("examples/IncentiveProgram"), [registry]),
    pass: m.contract("MembershipPass", readArtifact("examples/MembershipPass"), [registry]),
    vault: m.contract("VerifiedVault", readArtifact("examples/VerifiedVault"), [registry, token]),
    ballot: m.contract("Ballot", readArtifact("examples/Ballot"), [registry]),
  };
});
