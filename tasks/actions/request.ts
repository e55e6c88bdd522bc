import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { buildSignInMessage, IdentityError, requestVerification, signMessage } from "../../client/index.ts";
import { checksumAddress, parseAddress } from "../../protocol/address.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import {
  type Options,
  optional,
  optionalPort,
  parseArguments,
  parseCount,
  requireOption,
} from "../internal/console/options.ts";
import { columns, type Report, reporting } from "../internal/console/report.ts";
import { submitVerification } from "../internal/consumer/submit.ts";
import { connectToChain } from "../internal/stack/connect.ts";

type Arguments = Options<"consumer" | "account" | "submit" | "args" | "value" | "service" | "port">;

export default reporting(async (args: Arguments, hre) => {
  const consumer = parseAddress("--consumer", args.consumer);
  const account = requireOption("--account", args.account);
  const submission = optional(args.submit, (entryPoint) => ({
    entryPoint,
    args: parseArguments("--args", args.args),
    value: optional(args.value, (text) => BigInt(parseCount("--value", text))) ?? 0n,
  }));
  const { connection, stack } = await connectToChain(hre, optionalPort("--port", args.port));
  const { provider: node } = connection;
  const baseUrl = requireOption("--service", args.service ?? stack?.signerUrl);
  const wallet = await findAccount(node, account);
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const message = buildSignInMessage({
    address: wallet,
    consumer,
    chainId,
    domain: "localhost",
    uri: "http://localhost/",
  });
  try {
    const signature = await signMessage(node, { address: wallet, message });
    const verification = await requestVerification({ baseUrl, message, signature });
    if (submission === undefined) {
      return { json: verification, text: columns(Object.entries(verification)) };
    }
    return await submit(hre, node, { ...submission, consumer, wallet, chainId, verification });
  } catch (error) {
    if (error instanceof IdentityError) return describeRefusal(error);
    throw error;
  }
});

async function submit(
  hre: HardhatRuntimeEnvironment,
  node: Eip1193Connection,
  submission: Parameters<typeof submitVerification>[2],
): Promise<Report> {
  const { entryPoint, verification, wallet, consumer } = submission;
  const name = entryPoint.split("(")[0];
  const result = await submitVerification(hre, node, submission);
  if ("revert" in result) {
    return {
      json: { ...verification, error: { revert: result.revert } },
      text: columns([
        ["Verified", `${wallet} is identity ${verification.identityHash} at ${consumer}`],
        ["Refused", `${name} reverts with ${result.revert}`],
      ]),
      refused: true,
    };
  }
  const { transactionHash, gasUsed } = result.receipt;
  return {
    json: { ...verification, transactionHash, gasUsed: Number(gasUsed) },
    text: columns([
      ["Verified", `${wallet} is identity ${verification.identityHash} at ${consumer}`],
      ["Accepted", `${name} in transaction ${transactionHash} (${Number(gasUsed)} gas)`],
    ]),
  };
}

function describeRefusal(error: IdentityError): Report {
  const { code, message, action, verifyUrl } = error;
  return {
    json: { error: { code, message, action, ...(verifyUrl === undefined ? {} : { verifyUrl }) } },
    text: columns([
      ["Refused", code],
      ["Reason", message],
      ...(verifyUrl === undefined ? [] : [["Prove an account at", verifyUrl] as const]),
    ]),
    refused: true,
  };
}

/** One of the node's accounts, by index or address. */
async function findAccount(node: Eip1193Connection, account: string): Promise<string> {
  const accounts = ((await node.request({ method: "eth_accounts" })) as string[]).map(checksumAddress);
  const index = /^\d+$/.test(account)
    ? Number(account)
    : accounts.indexOf(parseAddress("--account", account));
  const found = accounts[index];
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `--account must be an index below ${accounts.length} or the address of an account of the node, got ${account}.`,
  );
}
