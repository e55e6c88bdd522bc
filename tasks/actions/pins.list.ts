import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";
import { describePin, toJson } from "../internal/stack/pins.ts";

export default reporting(async (args: Options<"port">) => {
  return await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    const pins = await store.listPins();
    return {
      json: pins.map(toJson),
      text: pins.length === 0 ? "No pins." : pins.map(describePin).join("\n"),
    };
  });
});
