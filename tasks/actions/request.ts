import type { IdentityError } from "@hardhat-identity/client";
import { columns } from "@hardhat-identity/console/columns";
import { optional, requireOption } from "@hardhat-identity/console/options";
import type { Report } from "@hardhat-identity/console/report";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { shortenHex } from "@hardhat-identity/protocol/hex";
import { parseArguments, parseQuantity } from "../internal/console/options.ts";
import { describeVerification, reporting } from "../internal/console/report.ts";
import { readKnownContracts } from "../internal/consumer/knownContracts.ts";
import { type RequestOutcome, requestAndSubmit } from "../internal/consumer/request.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import { findAccount } from "../internal/wallet/findAccount.ts";
import type { Arguments } from "../options.ts";

export default reporting<"request">(async (args, hre) => {
  const consumer = await findConsumer(hre, args);
  const account = requireOption("--account", args.account, "an account of the node, by index or address");
  const submission = readSubmission(args);
  const { connection, stack } = await connectToChain(hre, args);
  const { provider: node } = connection;
  const baseUrl = requireOption(
    "--service",
    args.service ?? stack?.signerUrl,
    "the URL of the signer service",
  );
  const wallet = await findAccount(node, "--account", account);
  let contracts: ReturnType<typeof readKnownContracts> | undefined;
  const readContracts = () => {
    contracts ??= readKnownContracts(hre);
    return contracts;
  };
  const own = stack?.own?.find(({ address }) => address === consumer);
  const known = own && { contractName: own.name, abi: own.abi };
  const asked = { consumer, wallet, baseUrl, submission, known, readContracts };
  const outcome = await requestAndSubmit(node, asked);
  if ("refusal" in outcome) return describeRefusal(outcome.refusal);
  return describeOutcome(outcome, { wallet, consumer, entryPoint: submission?.entryPoint });
});

/** Reads the entry point to submit to, and what it takes besides the verification. */
function readSubmission(args: Arguments<"request">) {
  const { submit: entryPoint } = args;
  if (entryPoint !== undefined) {
    return {
      entryPoint,
      args: parseArguments("--args", args.args),
      value: optional(args.value, (text) => parseQuantity("--value", text)) ?? 0n,
    };
  }
  const stray = (["args", "value"] as const).find((name) => args[name] !== undefined);
  if (stray === undefined) return undefined;
  throw new InvalidInputError(
    `--${stray} is for an entry point, but --submit names none. Add --submit, or leave out --${stray}.`,
  );
}

type Issued = Exclude<RequestOutcome, { readonly refusal: IdentityError }>;

/** Describes a verification, and what became of it at the entry point, if it was submitted. */
function describeOutcome(
  { verification, receipt, revert }: Issued,
  { wallet, consumer, entryPoint }: { wallet: string; consumer: string; entryPoint: string | undefined },
): Report {
  const { identityHash } = verification;
  const verified = [
    ["Verified", wallet],
    ["Identity", identityHash],
    ["Contract", consumer],
  ] as const;
  const name = entryPoint?.split("(")[0];
  if (revert !== undefined) {
    const { text, meaning } = revert;
    return {
      json: { ...verification, error: { revert: text, ...(meaning !== undefined && { reason: meaning }) } },
      text: columns([
        ...verified,
        // The hash stands whole two lines above.
        ["Refused", `${name} reverts with ${text.replaceAll(identityHash, shortenHex(identityHash))}`],
        ...(meaning === undefined ? [] : [["Reason", meaning] as const]),
      ]),
      refused: true,
    };
  }
  if (receipt === undefined) return { json: verification, text: describeVerification(verification) };
  const { transactionHash } = receipt;
  const gasUsed = Number(receipt.gasUsed);
  return {
    json: { ...verification, transactionHash, gasUsed },
    text: columns([...verified, ["Accepted", `${name} in transaction ${transactionHash}`], ["Gas", gasUsed]]),
  };
}

function describeRefusal(error: IdentityError): Report {
  const { code, message, action, verifyUrl } = error;
  return {
    json: { error: { code, message, action, ...(verifyUrl === undefined ? {} : { verifyUrl }) } },
    text: columns([
      // Nobody has refused anything.
      [code === "client_network_error" || code === "client_invalid_response" ? "Failed" : "Refused", message],
      ["Code", code],
      ...(verifyUrl === undefined ? [] : [["Verify an account at", verifyUrl] as const]),
    ]),
    refused: true,
  };
}
