import { everyPin } from "../../signer/index.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { printList } from "../internal/console/printList.ts";
import { orError } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";
import { describePin, toJson } from "../internal/stack/pins.ts";

export default orError(async (args: Options<"port">) => {
  const { json } = args;
  await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    if (json) await printList(asJson(everyPin(store)), { json, describe: JSON.stringify, none: "" });
    else await printList(everyPin(store), { json, describe: describePin, none: "No pins." });
  });
});

async function* asJson(pins: ReturnType<typeof everyPin>) {
  for await (const pin of pins) yield toJson(pin);
}
