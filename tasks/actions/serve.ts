import { loadConfig, startSigner } from "../../signer/index.ts";
import { orError } from "../console/report.ts";
import { untilStopped } from "../console/stop.ts";
import { findBundles } from "../web/bundles.ts";
import type { Options } from "./options.ts";

export default orError(async (args: Options<never>, hre) => {
  const network = hre.globalOptions.network && hre.config.networks[hre.globalOptions.network];
  const networkUrl = network && network.type === "http" ? await network.url.getUrl() : undefined;
  const config = loadConfig({ ...process.env, IDENTITY_RPC_URL: process.env.IDENTITY_RPC_URL ?? networkUrl });
  const signer = await startSigner(config, { verifyBundle: (await findBundles()).verify });
  const stopped = untilStopped(signer.close, false);
  if (args.json) console.log(JSON.stringify({ signerUrl: signer.url, signer: signer.signer }));
  await stopped;
});
