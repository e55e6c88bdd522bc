import { print } from "../../console/print.ts";
import { reporting } from "../internal/console/report.ts";
import { verifyDeployment } from "../internal/deployment/verifyDeployment.ts";

export default reporting<"verify">(async ({ deploymentId, json }, hre) => {
  const connection = await hre.network.create();
  try {
    const contracts = await verifyDeployment(connection, hre.config, deploymentId, json ? () => {} : print);
    const refused = contracts.some(({ explorers }) => explorers.some(({ verified }) => !verified));
    const text = refused ? "Not everything could be verified." : "Everything is verified.";
    return { json: { contracts }, text, refused };
  } finally {
    await connection.close();
  }
});
