import { columns } from "@hardhat-identity/console/columns";
import { optional, parseCount } from "@hardhat-identity/console/options";
import { describeStatus } from "@hardhat-identity/wallet/describeStatus";
import { reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findAccount } from "../internal/wallet/findAccount.ts";
import { readBatch } from "../internal/wallet/readBatch.ts";
import { sendBatch } from "../internal/wallet/sendBatch.ts";

export default reporting<"send-calls">(async (args, hre) => {
  const batch = readBatch(args);
  const timeout = optional(args.timeout, (text) => parseCount("--timeout", text)) ?? 60;
  const { connection } = await connectToChain(hre, args);
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
  const pending = status.status === 100;
  const advice = `\nThe batch is still pending after ${timeout} s. It may still be included; do not send it again.`;
  return {
    json: { batchId: status.id, ...status },
    text: `${describeStatus(status)}${pending ? advice : ""}`,
    // Nobody knows yet whether a pending batch is fine.
    refused: status.status !== 200,
  };
});
