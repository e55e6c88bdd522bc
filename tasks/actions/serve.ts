import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { print } from "../../signer/cli/print.ts";
import { startService, untilServiceStopped } from "../../signer/cli/serve.ts";
import { openStartLog } from "../../signer/cli/startLog.ts";
import type { Options } from "../internal/console/options.ts";
import { orError } from "../internal/console/report.ts";

export default orError(async (args: Options<never>, hre) => {
  const service = await startService(process.env, await readNetworkUrl(hre), openStartLog(process.env));
  const stopped = untilServiceStopped(service);
  if (args.json) print(JSON.stringify({ signerUrl: service.url, signer: service.signer }));
  await stopped;
});

/** Returns the URL of `--network` if it is an HTTP network. */
async function readNetworkUrl({
  config,
  globalOptions,
}: HardhatRuntimeEnvironment): Promise<string | undefined> {
  const network = globalOptions.network && config.networks[globalOptions.network];
  return network && network.type === "http" ? await network.url.getUrl() : undefined;
}
