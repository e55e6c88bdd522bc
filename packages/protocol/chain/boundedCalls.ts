import {
  addressWord,
  type EncodedValue,
  encodeArray,
  encodeBytes,
  encodeSequence,
  uintWord,
} from "../abiWords.ts";
import type { Eip1193Connection } from "../eip1193.ts";
import { functionSelector, hashText } from "../hashes.ts";
import { toQuantity } from "../hex.ts";
import { readRpcError } from "../rpcError.ts";
import { ChainUnavailableError } from "./connect.ts";
import { boundedCallsCode } from "./internal/boundedCallsCode.ts";
import { type BoundedAnswer, decodeAnswers } from "./internal/decodeAnswers.ts";
import { isOverLimit } from "./nodeProblem.ts";

export type { BoundedAnswer };

/** One call and its limits. */
export interface BoundedCall {
  readonly target: string;
  /** Call data, hex. */
  readonly data: string;
  readonly gasLimit: number;
  /** The greatest number of bytes read of the answer. */
  readonly sizeLimit: number;
  /** Whether later calls see its changes of state. Otherwise it is a static call. */
  readonly changesState?: boolean;
  /** Whether later calls are skipped and reported as failed when it fails. */
  readonly required?: boolean;
}

/**
 * Reserves gas before a node runs calls that a stranger chose: it takes the greatest amount that they may use and the
 * function that makes them.
 */
export type SpendGas = <T>(gas: number, ask: () => Promise<T>) => Promise<T>;

/** Reserves nothing. */
export const spendFreely: SpendGas = (_gas, ask) => ask();

/** Gas for a getter: more than a hundred words read from storage. */
const getterGas = 250_000;

/** The call of a function without parameters and with a short answer, such as `provider()`. */
export function getterCall(target: string, signature: string, sizeLimit: number): BoundedCall {
  return { target, data: functionSelector(signature), gasLimit: getterGas, sizeLimit };
}

/** The function of BoundedCalls.sol. */
const execute = functionSelector("execute((address,bool,bool,uint256,uint256,bytes)[])");

// Addresses without an owner that no contract trusts: a target may look at its caller or at the origin.
const address = `0x${hashText("hardhat-identity BoundedCalls").slice(-40)}`;
const origin = `0x${hashText("hardhat-identity BoundedCalls origin").slice(-40)}`;

/** Gas for a call's own overhead and for copying its answer to memory. */
const overhead = 100_000;
const gasPerByte = 16;

/** The block on whose state calls are made: `latest`, a number as a quantity, or a hash (EIP-1898). */
export type CallBlock = string | { readonly blockHash: string };

/**
 * Makes calls in one `eth_call` on the state of a block, the latest one unless another is given. A contract that reverts or
 * halts is an answer, not an error: only the node can cause one.
 *
 * @returns One answer for each call.
 * @throws ChainUnavailableError when the node fails, or does not support `eth_call` with a state override.
 */
export async function boundedCalls(
  node: Eip1193Connection,
  calls: readonly BoundedCall[],
  block: CallBlock = "latest",
): Promise<BoundedAnswer[]> {
  return makeCalls(node, encodeCalls(calls), block);
}

/** Calls for {@link makeCalls}. */
export interface EncodedCalls {
  /** Call data, hex. */
  readonly data: string;
  /** The gas that the calls may use together. */
  readonly gas: number;
}

/** Encodes calls that are made more than once. */
export function encodeCalls(calls: readonly BoundedCall[]): EncodedCalls {
  const data = `${execute}${encodeSequence([encodeArray(calls.map(encodeCall))]).hex}`;
  // A call gets at most 63/64 of the remaining gas.
  const gas = calls.reduce(
    (sum, call) => sum + Math.ceil((call.gasLimit * 64) / 63) + overhead + gasPerByte * call.sizeLimit,
    overhead + gasPerByte * (data.length / 2),
  );
  return { data, gas };
}

function encodeCall({
  target,
  changesState,
  required,
  gasLimit,
  sizeLimit,
  data,
}: BoundedCall): EncodedValue {
  const limits = [addressWord(target)]
    .concat([changesState, required].map((flag) => uintWord(flag ? 1 : 0)))
    .concat([gasLimit, sizeLimit].map((limit) => uintWord(limit)));
  const words = limits.map((hex) => ({ dynamic: false, hex }));
  return encodeSequence(words.concat(encodeBytes(data.slice(2).toLowerCase())));
}

/** Makes calls as {@link boundedCalls} does. */
export async function makeCalls(
  node: Eip1193Connection,
  { data, gas }: EncodedCalls,
  block: CallBlock = "latest",
): Promise<BoundedAnswer[]> {
  let answer: unknown;
  try {
    answer = await node.request({
      method: "eth_call",
      params: [
        { from: origin, to: address, data, gas: toQuantity(Math.ceil(gas)) },
        block,
        { [address]: { code: boundedCallsCode } },
      ],
    });
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw error;
    const { code, message } = readRpcError(error);
    const said = code === undefined ? message : `${message} (${code})`;
    if (refusals.has(code ?? 0) && !isOverLimit(code, message))
      throw new ChainUnavailableError(`${noOverride} It said: ${said}`, { cause: error });
    // The code itself never reverts.
    const isOld = code === executionReverted || /opcode/i.test(message);
    const hint = isOld ? " A chain whose hardfork is before Cancun lacks an instruction for it." : "";
    throw new ChainUnavailableError(`The node failed to answer eth_call: ${said}${hint}`, { cause: error });
  }
  try {
    return decodeAnswers(String(answer));
  } catch (error) {
    throw new ChainUnavailableError(noOverride, { cause: error });
  }
}

/** Codes of JSON-RPC and EIP-1474 for a method or parameters that a node does not take. */
const refusals: ReadonlySet<number> = new Set([-32600, -32601, -32602, -32004]);

/** The JSON-RPC code of a call that reverts. */
const executionReverted = 3;

const noOverride =
  "The node does not support eth_call with a state override, which the service needs to read contracts.";
