import { resetPins } from "../../signer/cli/pins.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";

export default reporting(async (args: Options<"consumer" | "port">, hre) => {
  const consumer = findConsumer(hre, args.consumer, optionalPort("--port", args.port));
  return await withCredentialStore(optionalPort("--port", args.port), (store) => resetPins(store, consumer));
});
