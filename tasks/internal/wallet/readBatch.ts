import { readFileSync } from "node:fs";
import { optional } from "@hardhat-identity/console/options";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import type { Arguments } from "../../options.ts";
import { parseHex, parseQuantity } from "../console/options.ts";

/** The options that describe a batch. */
type BatchOptions = Pick<
  Arguments<"send-calls">,
  "file" | "to" | "value" | "data" | "gasLimit" | "id" | "atomic"
>;

/**
 * Reads a batch from a file or from the options of a single call.
 *
 * @returns Fields of the parameter of `wallet_sendCalls`. The fields of a file are passed on unchecked: the wallet
 * checks them.
 */
export function readBatch(options: BatchOptions): Readonly<Record<string, unknown>> {
  const { file, to, value, data, gasLimit, id, atomic } = options;
  if (file !== undefined && [to, value, data, gasLimit].some((option) => option !== undefined)) {
    throw new InvalidInputError(
      "--file contains the calls; --to, --value, --data and --gas-limit describe a single call without it.",
    );
  }
  if (atomic !== undefined && atomic !== "true" && atomic !== "false") {
    throw new InvalidInputError(`--atomic must be true or false, got ${JSON.stringify(atomic)}.`);
  }
  return {
    ...(file === undefined ? { calls: [readCall(options)] } : readFile(file)),
    ...(id !== undefined && { id }),
    ...(atomic !== undefined && { atomicRequired: atomic === "true" }),
  };
}

/** Reads a file with the calls, or with any fields of the parameter. */
function readFile(file: string): object {
  let content: unknown;
  try {
    content = JSON.parse(decodeFile(readFileSync(file)));
  } catch (error) {
    throw new InvalidInputError(
      `--file must name a JSON file; ${file} cannot be read: ${(error as Error).message}`,
    );
  }
  if (Array.isArray(content)) return { calls: content };
  if (typeof content === "object" && content !== null) return content;
  throw new InvalidInputError(
    `${file} must contain an array of calls, or an object with fields of the request.`,
  );
}

function readCall({ to, value, data, gasLimit }: BatchOptions): object {
  const limit = optional(gasLimit, (text) => toQuantity(parseQuantity("--gas-limit", text)));
  return {
    to: parseAddress("--to", to),
    value: toQuantity(parseQuantity("--value", value ?? "0")),
    ...(data !== undefined && { data: parseHex("--data", data) }),
    ...(limit !== undefined && { capabilities: { gasLimitOverride: { value: limit } } }),
  };
}
