import { print } from "@hardhat-identity/console/print";
import { reporting } from "hardhat-identity/internal/console/report";
import { verifyDeployment } from "../internal/verifyDeployment.ts";

export default reporting<"verify">(async ({ deploymentId, json }, hre) => {
  const connection = await hre.network.create();
  try {
    const show = json ? () => {} : print;
    const { contracts, others, id } = await verifyDeployment(connection, hre.config, deploymentId, show);
    const refused = contracts.some(({ explorers }) => explorers.some(({ verified }) => !verified));
    const lines = [refused ? "Some contracts could not be verified." : "All contracts are verified."];
    if (others.length > 0) {
      lines[0] = refused
        ? "Not all of the package's contracts could be verified."
        : "The package's contracts are verified.";
      lines.push(`Verify the others with "hardhat ignition verify ${id}": ${others.join(", ")}`);
    }
    const report = others.length > 0 ? { contracts, others } : { contracts };
    return { json: report, text: lines.join("\n"), refused };
  } finally {
    await connection.close();
  }
});
