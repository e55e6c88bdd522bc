import type { IdentityError } from "../../client/index.ts";
import { parseAddress } from "../../protocol/address.ts";
import {
  type Options,
  optional,
  optionalPort,
  parseArguments,
  parseQuantity,
  requireOption,
} from "../internal/console/options.ts";
import { columns, type Report, reporting } from "../internal/console/report.ts";
import { requestAndSubmit } from "../internal/consumer/request.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findAccount } from "../internal/wallet/findAccount.ts";

type Arguments = Options<"consumer" | "account" | "submit" | "args" | "value" | "service" | "port">;

export default reporting(async (args: Arguments, hre) => {
  const consumer = parseAddress("--consumer", args.consumer);
  const account = requireOption("--account", args.account);
  const submission = optional(args.submit, (entryPoint) => ({
    entryPoint,
    args: parseArguments("--args", args.args),
    value: optional(args.value, (text) => parseQuantity("--value", text)) ?? 0n,
  }));
  const { connection, stack } = await connectToChain(hre, optionalPort("--port", args.port));
  const { provider: node } = connection;
  const baseUrl = requireOption("--service", args.service ?? stack?.signerUrl);
  const wallet = await findAccount(node, "--account", account);
  const readAbis = async () => {
    const names = [...(await hre.artifacts.getAllFullyQualifiedNames())];
    return Promise.all(names.map(async (name) => (await hre.artifacts.readArtifact(name)).abi));
  };
  const outcome = await requestAndSubmit(node, { consumer, wallet, baseUrl, submission, readAbis });
  if ("refusal" in outcome) return describeRefusal(outcome.refusal);

  const { verification, receipt, revert } = outcome;
  const verified = ["Verified", `${wallet} is identity ${verification.identityHash} at ${consumer}`] as const;
  const name = submission?.entryPoint.split("(")[0];
  if (revert !== undefined) {
    const { text, meaning } = revert;
    return {
      json: { ...verification, error: { revert: text } },
      text: columns([
        verified,
        ["Refused", `${name} reverts with ${text}`],
        ...(meaning === undefined ? [] : [["Reason", meaning] as const]),
      ]),
      refused: true,
    };
  }
  if (receipt !== undefined) {
    const { transactionHash } = receipt;
    const gasUsed = Number(receipt.gasUsed);
    return {
      json: { ...verification, transactionHash, gasUsed },
      text: columns([verified, ["Accepted", `${name} in transaction ${transactionHash} (${gasUsed} gas)`]]),
    };
  }
  return { json: verification, text: columns(Object.entries(verification)) };
});

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
