import { FunctionFragment, Interface, toQuantity } from "ethers";
import { encodeCall, type Receipt, sendCall, waitForReceipt } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeRevert, type Revert } from "../../../protocol/reverts.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { type CompiledContract, isCodeOf } from "./compiledContract.ts";

/** Which entry point of which consumer to call, and as whom. */
export interface Submission {
  readonly consumer: string;
  readonly wallet: string;
  readonly chainId: number;
  readonly verification: SignedVerification;
  /** A function's name, or its whole signature. */
  readonly entryPoint: string;
  /** Its other arguments, by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Wei. */
  readonly value: bigint;
  /** Reads the contracts that are known: the consumer is told by its code, and errors by name. */
  readonly readContracts: () => Promise<readonly CompiledContract[]>;
}

/**
 * Hands a verification to a consumer. The call is tried out first, so that a refusal costs nothing and is told in
 * the contract's own words.
 *
 * @throws InvalidInputError when the consumer is a known contract that has no such function, or one that takes no ether.
 * @throws IdentityError `INVALID_ARGUMENT` naming the argument that the function does not take, or misses.
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

/** What a name alone means where the contract is not known: an entry point that takes nothing but the verification. */
export const wholeSignature = (entryPoint: string) =>
  entryPoint.includes("(") ? entryPoint : `${entryPoint}(${verificationParameters})`;

const encodeUnknownCall = ({ entryPoint, verification, args }: Submission) =>
  encodeCall({ abi: wholeSignature(entryPoint), verification, args });

/** A revert without a reason is what solc's own checks of selector and value give. */
function guessReason({ consumer, entryPoint, value }: Submission): string {
  const hasNone = `${consumer} may have no function ${wholeSignature(entryPoint)}`;
  return value === 0n ? `${hasNone}.` : `${hasNone}, or one that takes no ether (--value ${value}).`;
}

/** What is known of a contract whose function is named. */
type Callable = Pick<CompiledContract, "contractName" | "abi">;
type CallArguments = Pick<Parameters<typeof encodeCall>[0], "args">;

/**
 * Encodes the call of an entry point of a contract that is known.
 *
 * @throws InvalidInputError naming the functions that the contract has, where this is none of them.
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

/** Names what the contract has instead: the functions that take a verification, or else all that change it. */
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
