import { readFileSync } from "node:fs";
import { parseAddress } from "../../protocol/address.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { type Options, optional, optionalPort, parseCount, parseHex } from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { describeStatus } from "../internal/wallet/describeStatus.ts";
import { sendBatch } from "../internal/wallet/sendBatch.ts";

type Names = "file" | "from" | "to" | "value" | "data" | "gasLimit" | "id" | "atomic" | "timeout" | "port";

/** What nodes answer to a method that they do not know. */
const unknownMethod: readonly number[] = [-32601, -32004];

export default reporting(async (args: Options<Names>, hre) => {
  const fromOptions = readOptions(args);
  const fromFile = optional(args.file, readBatchFile);
  const timeout = optional(args.timeout, (text) => parseCount("--timeout", text)) ?? 60;
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  const { provider: node } = connection;
  const request = {
    version: "2.0.0",
    from: await chooseAccount(node, args.from ?? "0"),
    chainId: await node.request({ method: "eth_chainId" }),
    atomicRequired: true,
    ...fromFile,
    ...fromOptions,
    ...(args.from !== undefined && { from: await chooseAccount(node, args.from) }),
  };
  const outcome = await sendBatch(node, request, timeout * 1000);
  if ("refusal" in outcome) {
    const { code, message } = outcome.refusal;
    if (unknownMethod.includes(code)) {
      throw new InvalidInputError(
        "The node has no wallet. One that runs with hardhat-identity has: `hardhat node` or `hardhat identity dev`.",
      );
    }
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

/** A file with the calls, or with any members of the one parameter of `wallet_sendCalls`. */
function readBatchFile(file: string): object {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InvalidInputError(
      `--file must name a JSON file; ${file} cannot be read: ${(error as Error).message}`,
    );
  }
  if (Array.isArray(content)) return { calls: content };
  if (typeof content === "object" && content !== null) return content;
  throw new InvalidInputError(`${file} must hold an array of calls, or an object with the batch's members.`);
}

function readOptions({ file, to, value, data, gasLimit, id, atomic }: Options<Names>): object {
  const single = { to, value, data, gasLimit };
  const given = Object.values(single).some((option) => option !== undefined);
  if (file !== undefined && given) {
    throw new InvalidInputError(
      "--file has the calls; --to, --value, --data and --gas-limit make one without it.",
    );
  }
  if (atomic !== undefined && atomic !== "true" && atomic !== "false") {
    throw new InvalidInputError(`--atomic must be true or false, got ${JSON.stringify(atomic)}.`);
  }
  return {
    ...(file === undefined && { calls: [readCall(single)] }),
    ...(id !== undefined && { id }),
    ...(atomic !== undefined && { atomicRequired: atomic === "true" }),
  };
}

function readCall({
  to,
  value,
  data,
  gasLimit,
}: Record<"to" | "value" | "data" | "gasLimit", string | undefined>) {
  return {
    to: parseAddress("--to", to),
    value: parseQuantity("--value", value ?? "0"),
    ...(data !== undefined && { data: parseHex("--data", data) }),
    ...(gasLimit !== undefined && {
      capabilities: { gasLimitOverride: { value: parseQuantity("--gas-limit", gasLimit) } },
    }),
  };
}

/** An integer, decimal or hex, in hex. */
function parseQuantity(name: string, text: string): string {
  if (/^(\d+|0x[0-9a-fA-F]+)$/.test(text)) return `0x${BigInt(text).toString(16)}`;
  throw new InvalidInputError(`${name} must be a whole number, decimal or hex, got ${JSON.stringify(text)}.`);
}

/** One of the node's accounts by its index, or any account by its address: the wallet decides about that. */
async function chooseAccount(node: Eip1193Connection, account: string): Promise<string> {
  if (!/^\d+$/.test(account)) return parseAddress("--from", account);
  const accounts = (await node.request({ method: "eth_accounts" })) as string[];
  const chosen = accounts[Number(account)];
  if (chosen !== undefined) return chosen;
  throw new InvalidInputError(
    `--from must be an index below ${accounts.length} or an address, got ${account}.`,
  );
}
