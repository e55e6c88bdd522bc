import { loadConfig, startSigner } from "../../signer/index.ts";
import { findBundles } from "../../web/server/bundles.ts";
import type { Options } from "../internal/console/options.ts";
import { orError } from "../internal/console/report.ts";
import { untilStopped } from "../internal/console/untilStopped.ts";

export default orError(async (args: Options<never>, hre) => {
  const network = hre.globalOptions.network && hre.config.networks[hre.globalOptions.network];
  const networkUrl = network && network.type === "http" ? await network.url.getUrl() : undefined;
  const config = loadConfig({ ...process.env, IDENTITY_RPC_URL: process.env.IDENTITY_RPC_URL ?? networkUrl });
  const signer = await startSigner(config, { verifyBundle: (await findBundles()).verify });
  const stopped = untilStopped(signer.close, false);
  if (args.json) console.log(JSON.stringify({ signerUrl: signer.url, signer: signer.signer }));
  await stopped;
});
