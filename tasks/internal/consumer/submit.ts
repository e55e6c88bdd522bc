import { FunctionFragment, Interface, toQuantity } from "ethers";
import { encodeCall, type Receipt, sendCall, waitForReceipt } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeRevert, type Revert } from "../../../protocol/reverts.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { type CompiledContract, isCodeOf } from "./compiledContract.ts";

/** A call of a consumer's entry point with a verification. */
export interface Submission {
  readonly consumer: string;
  readonly wallet: string;
  readonly chainId: number;
  readonly verification: SignedVerification;
  /** The function's name, or its full signature. */
  readonly entryPoint: string;
  /** The function's other arguments, by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Wei. */
  readonly value: bigint;
  /** Reads the known contracts, to recognize the consumer by its code and to decode errors. */
  readonly readContracts: () => Promise<readonly CompiledContract[]>;
}

/**
 * Submits a verification to a consumer. It simulates the call first, so that a revert costs nothing and its error is
 * known.
 *
 * @throws InvalidInputError if the consumer is a known contract without this function, or the function is not payable.
 * @throws IdentityError `INVALID_ARGUMENT` that names an unknown or missing argument.
 */
export async function submitVerification(
  node: Eip1193Connection,
  submission: Submission,
): Promise<{ receipt: Receipt } | { revert: Revert }> {
  const { consumer: to, wallet: from, chainId, value } = submission;
  const contracts = await submission.readContracts();
  const code = String(await node.request({ method: "eth_getCode", params: [to, "latest"] })).toLowerCase();
  const contract = contracts.find((each) => isCodeOf(code, each));
  const data = contract ? encodeKnownCall(contract, submission) : encodeUnknownCall(submission);
  try {
    await node.request({
      method: "eth_call",
      params: [{ from, to, data, value: toQuantity(value) }, "pending"],
    });
  } catch (error) {
    const { data: revertData } = readRpcError(error);
    if (revertData === undefined) throw error;
    const revert = describeRevert(revertData, { abis: contracts.map(({ abi }) => abi) });
    const isUnexplained = revertData === "0x" && contract === undefined;
    return { revert: isUnexplained ? { ...revert, meaning: guessReason(submission) } : revert };
  }
  const hash = await sendCall(node, { from, to, data, value, chainId });
  return { receipt: await waitForReceipt(node, { hash, interval: 50 }) };
}

const verificationParameters = "bytes32 identityHash, uint40 expiration, bytes signature";

/** Returns a full signature. In an unknown contract, a bare name is an entry point that takes only the verification. */
export const wholeSignature = (entryPoint: string) =>
  entryPoint.includes("(") ? entryPoint : `${entryPoint}(${verificationParameters})`;

const encodeUnknownCall = ({ entryPoint, verification, args }: Submission) =>
  encodeCall({ abi: wholeSignature(entryPoint), verification, args });

/** Explains a revert without data, which solc's checks of the selector and the value cause. */
function guessReason({ consumer, entryPoint, value }: Submission): string {
  const hasNone = `${consumer} may have no function ${wholeSignature(entryPoint)}`;
  return value === 0n ? `${hasNone}.` : `${hasNone}, or one that takes no ether (--value ${value}).`;
}

/** The name and ABI of a contract. */
type Callable = Pick<CompiledContract, "contractName" | "abi">;
type CallArguments = Pick<Parameters<typeof encodeCall>[0], "args">;

/**
 * Finds a contract's functions of a name.
 *
 * @throws InvalidInputError that lists the contract's functions if none has the name.
 */
export function encodeEntryPoint(
  contract: Callable,
  { entryPoint, verification, args }: Pick<Submission, "entryPoint" | "verification"> & CallArguments,
) {
  const [before = ""] = entryPoint.split("(");
  const name = before.trim();
  const named = contract.abi.filter((item) => item.type === "function" && item.name === name);
  if (named.length === 0) throw noSuchFunction(contract, entryPoint);
  const data = entryPoint.includes("(")
    ? encodeCall({ abi: entryPoint, verification, args })
    : encodeCall({ abi: named, functionName: name, verification, args });
  const called = Interface.from(named).getFunction(data.slice(0, 10));
  if (called === null) throw noSuchFunction(contract, entryPoint);
  return { data, called };
}

function encodeKnownCall(contract: CompiledContract, submission: Submission) {
  const { data, called } = encodeEntryPoint(contract, submission);
  const { value } = submission;
  if (value > 0n && !called.payable) {
    throw new InvalidInputError(
      `${called.name} of ${contract.contractName} is not payable: leave --value out, got ${value} wei.`,
    );
  }
  return data;
}

/** Composes an error that lists the functions that take a verification, or else all that change state. */
function noSuchFunction({ contractName, abi }: Callable, wanted: string): InvalidInputError {
  const functions = abi.flatMap((item) =>
    item.type === "function" && !["view", "pure"].includes(item.stateMutability ?? "")
      ? [FunctionFragment.from(item)]
      : [],
  );
  const entryPoints = functions.filter(({ inputs }) => inputs.some(({ type }) => type === "uint40"));
  const choice = entryPoints.length > 0 ? entryPoints : functions;
  const has = choice.map((each) =>
    each
      .format("full")
      .replace(/^function /, "")
      .replace(/\).*/, ")"),
  );
  return new InvalidInputError(
    `${contractName} has no function ${wanted}; it has ${has.join(" and ") || "none that could take a verification"}.`,
  );
}
