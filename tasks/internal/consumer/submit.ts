import { encodeCall, IdentityError, type Receipt } from "@hardhat-identity/client";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { describeRevert, type Revert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { FunctionFragment, Interface, ParamType } from "ethers";
import { type AbiEntry, type CompiledContract, isCodeOf } from "./compiledContract.ts";
import { findImplementation, readCode } from "./erc1967.ts";
import { sendAndWait } from "./sendAndWait.ts";
import { simulate } from "./simulate.ts";

/** A call of a consumer's entry point with a verification. */
export interface Submission {
  readonly consumer: string;
  /** An account of the node. */
  readonly wallet: string;
  readonly chainId: number;
  readonly verification: SignedVerification;
  /** The function's name, or its full signature. */
  readonly entryPoint: string;
  /** The function's other arguments, by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Wei. */
  readonly value: bigint;
  /** The consumer's name and ABI, if they are known. */
  readonly known?: Callable | undefined;
  /** Reads the known contracts, to recognize the consumer by its code and to decode errors. */
  readonly readContracts: () => Promise<readonly CompiledContract[]>;
}

/**
 * Submits a verification to a consumer. It simulates the call first, so that a revert costs nothing and its error is
 * known.
 *
 * @throws InvalidInputError if the consumer is a known contract without this function, the function is not payable, or an
 * argument is unknown, missing or of another type.
 */
export async function submitVerification(
  node: Eip1193Connection,
  submission: Submission,
): Promise<{ receipt: Receipt } | { revert: Revert }> {
  const { consumer: to, wallet: from, chainId, value } = submission;
  const { contracts, contract, data } = await encodeSubmission(node, submission);
  const result = await simulate(node, { from, to, data, value: toQuantity(value) }, "pending");
  if ("revert" in result) {
    const revert = describeRevert(result.revert, {
      abis: [...contracts, ...(contract ? [contract] : [])].map(({ abi }) => abi),
    });
    const isUnexplained = result.revert === "0x" && contract === undefined;
    return { revert: isUnexplained ? { ...revert, meaning: guessReason(submission) } : revert };
  }
  return { receipt: await sendAndWait(node, { from, to, data, value, chainId }) };
}

/**
 * Refuses the submissions that {@link submitVerification} would refuse with any verification.
 *
 * @throws InvalidInputError as `submitVerification` does.
 */
export async function checkSubmission(
  node: Eip1193Connection,
  submission: Omit<Submission, "verification">,
): Promise<void> {
  const verification = {
    identityHash: `0x${"0".repeat(64)}`,
    expiration: 0,
    signature: `0x${"0".repeat(130)}`,
  } as const;
  await encodeSubmission(node, { ...submission, verification });
}

/** Encodes the call of a submission by what is known of the consumer. */
async function encodeSubmission(node: Eip1193Connection, submission: Submission) {
  const contracts = await submission.readContracts();
  const contract = submission.known ?? (await recognize(node, submission.consumer, contracts));
  const data = inShellWords(() =>
    contract ? encodeKnownCall(contract, submission) : encodeUnknownCall(submission),
  );
  return { contracts, contract, data };
}

/** Runs what may refuse an argument, and says so to somebody who gave it as an option and knows no bigint. */
function inShellWords<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof IdentityError && error.code === "client_invalid_argument")) throw error;
    const text = error.message
      .replace(/^args\.?(\S*) must/, (_, name: string) => `--args: ${name} must`)
      .replace(/^(abi|functionName) must/, "--submit must")
      .replace("a bigint or safe integer", "a whole number");
    throw new InvalidInputError(text);
  }
}

/** Recognizes a contract, or what it runs as a proxy, by its code. */
export async function recognize(
  node: Eip1193Connection,
  address: string,
  contracts: readonly CompiledContract[],
): Promise<CompiledContract | undefined> {
  const code = await readCode(node, await findImplementation(node, address));
  return contracts.find((each) => isCodeOf(code, each));
}

const verificationParameters = "bytes32 identityHash, uint40 expiration, bytes signature";

/** Returns a full signature. In an unknown contract, a bare name is an entry point that takes only the verification. */
const wholeSignature = (entryPoint: string) =>
  entryPoint.includes("(") ? entryPoint : `${entryPoint}(${verificationParameters})`;

function encodeUnknownCall({ entryPoint, verification, args }: Submission) {
  const abi = wholeSignature(entryPoint);
  return encodeCall({ abi, verification, args: readIntegers([abi], args) });
}

/** Reads the integers that a shell's JSON has as strings, by the types of the parameters. */
function readIntegers(
  functions: readonly (string | AbiEntry)[],
  args: Submission["args"],
): Submission["args"] {
  try {
    const components = functions.flatMap((each) => FunctionFragment.from(each).inputs);
    return membersOf(read(ParamType.from({ type: "tuple", components }), args));
  } catch {
    // encodeCall says what is wrong with a signature.
    return args;
  }

  function read(input: ParamType, value: unknown): unknown {
    if (input.isArray() && Array.isArray(value)) return value.map((each) => read(input.arrayChildren, each));
    if (input.isTuple() && typeof value === "object" && value !== null && !Array.isArray(value)) {
      const members = Object.entries(value).map(([name, each]) => {
        const component = input.components.find((candidate) => candidate.name === name);
        return [name, component === undefined ? each : read(component, each)];
      });
      return Object.fromEntries(members);
    }
    const isInteger = /^u?int\d+$/.test(input.type) && /^(-?\d+|0x[\da-f]+)$/i.test(String(value));
    return isInteger && typeof value === "string" ? BigInt(value) : value;
  }
}

/** Explains a revert without data, which solc's checks of the selector and the value cause. */
function guessReason({ consumer, entryPoint, value }: Submission): string {
  const hasNone = `${consumer} may have no function ${wholeSignature(entryPoint)}`;
  const problem = value === 0n ? hasNone : `${hasNone}, or one that takes no ether (--value ${value})`;
  const isWhole = entryPoint.includes("(");
  return `${problem}.${isWhole ? "" : " The project has compiled no such contract: compile it, or give the function's full signature."}`;
}

/** The name and ABI of a contract. */
type Callable = Pick<CompiledContract, "contractName" | "abi">;

/**
 * Encodes a call of a contract's function. A full signature need not be in the ABI if a fallback may pass it on, as a
 * proxy's does.
 *
 * @throws InvalidInputError that lists the contract's functions if it has no such function, or if it takes no ether.
 */
function encodeKnownCall(contract: Callable, submission: Submission) {
  const { entryPoint, verification, value } = submission;
  const [before = ""] = entryPoint.split("(");
  const name = before.trim();
  const isWhole = before !== entryPoint;
  const mayPassOn = isWhole && contract.abi.some(({ type }) => type === "fallback");
  const named = contract.abi.filter((item) => item.type === "function" && item.name === name);
  if (named.length === 0 && !mayPassOn) throw noSuchFunction(contract, entryPoint);
  const args = readIntegers(isWhole ? [entryPoint] : named, submission.args);
  const data = isWhole
    ? encodeCall({ abi: entryPoint, verification, args })
    : encodeCall({ abi: named, functionName: name, verification, args });
  const called = Interface.from(named).getFunction(data.slice(0, 10)) ?? undefined;
  if (called === undefined && !mayPassOn) throw noSuchFunction(contract, entryPoint);
  if (value > 0n && called?.payable === false) {
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
  const takesExpiration = ({ type, components }: ParamType): boolean =>
    type === "uint40" || (components ?? []).some(takesExpiration);
  const entryPoints = functions.filter(({ inputs }) => inputs.some(takesExpiration));
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
