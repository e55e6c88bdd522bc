import { type Options, optional, optionalPort, parseCount } from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { describeStatus } from "../internal/wallet/describeStatus.ts";
import { findAccount } from "../internal/wallet/findAccount.ts";
import { readBatch } from "../internal/wallet/readBatch.ts";
import { sendBatch } from "../internal/wallet/sendBatch.ts";

type Names = "file" | "from" | "to" | "value" | "data" | "gasLimit" | "id" | "atomic" | "timeout" | "port";

export default reporting(async (args: Options<Names>, hre) => {
  const batch = readBatch(args);
  const timeout = optional(args.timeout, (text) => parseCount("--timeout", text)) ?? 60;
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  const { provider: node } = connection;
  const from = await optional(args.from, (text) => findAccount(node, "--from", text));
  const outcome = await sendBatch(node, { ...batch, ...(from && { from }) }, timeout * 1000);
  if ("refusal" in outcome) {
    const { code, message } = outcome.refusal;
    return {
      json: { error: { code, message } },
      text: columns([
        ["Refused", code],
        ["Reason", message],
      ]),
      refused: true,
    };
  }
  const { status } = outcome;
  return {
    json: { batchId: status.id, ...status },
    text: describeStatus(status),
    refused: status.status >= 400,
  };
});
