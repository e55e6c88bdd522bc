import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import { describePin, toJson } from "../internal/stack/pins.ts";

export default reporting(async (args: Options<"consumer" | "port">, hre) => {
  const consumer = findConsumer(hre, args.consumer, optionalPort("--port", args.port));
  return await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    const reset = await store.resetPins(consumer);
    return {
      json: { consumer, reset: reset.map(toJson) },
      text:
        reset.length === 0
          ? `${consumer} is not held to any policy.`
          : `Reset. The pin was: ${reset.map(describePin).join("\n")}`,
      refused: reset.length === 0,
    };
  });
});
