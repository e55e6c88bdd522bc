import {
  addressWord,
  type EncodedValue,
  encodeArray,
  encodeBytes,
  encodeSequence,
  uintWord,
} from "@hardhat-identity/protocol/abiWords";
import type { DevelopmentNode } from "./node.ts";
import type { Call } from "./sendCallsRequest.ts";

/** Address of the batch executor: the last 20 bytes of `keccak256("hardhat-identity batch executor")`. */
export const executorAddress = "0x1d218ca316cd1fa0ecd1bd702a5590385255eabe";

/** The code of an account that delegates to the executor: EIP-7702's prefix and the executor's address. */
export const delegation = `0xef0100${executorAddress.slice(2)}`;

/** The selector of `execute((address to, uint256 value, uint256 gasLimit, bytes data)[] calls)`. */
const execute = "0x398f3653";

/** `NO_GAS_LIMIT` of the executor. */
const noGasLimit = (1n << 256n) - 1n;

/** Encodes the call that an upgraded account makes to itself to execute a batch. */
export function encodeBatch(calls: readonly Call[]): string {
  const encoded = calls.map(({ to, value, gasLimit = noGasLimit, data }) => {
    const words = [addressWord(to), uintWord(value), uintWord(gasLimit)];
    const fields: EncodedValue[] = words.map((hex) => ({ dynamic: false, hex }));
    return encodeSequence(fields.concat(encodeBytes(data.slice(2).toLowerCase())));
  });
  return `${execute}${encodeSequence([encodeArray(encoded)]).hex}`;
}

/**
 * Places the executor if it is missing. Call it before each batch: a test that reverts to a snapshot removes the
 * executor.
 */
export async function placeExecutor(node: DevelopmentNode, code: string): Promise<void> {
  if ((await node.code(executorAddress)) !== code) await node.setCode(executorAddress, code);
}

/**
 * Returns whether the chain supports EIP-7702. A node of an older hardfork refuses every call with an authorization,
 * whether or not it is valid.
 */
export async function knows7702(node: DevelopmentNode, account: string): Promise<boolean> {
  const zero = "0x0";
  const authorization = {
    chainId: zero,
    address: executorAddress,
    nonce: zero,
    yParity: zero,
    r: "0x1",
    s: "0x1",
  };
  try {
    await node.request({
      method: "eth_call",
      params: [{ from: account, to: executorAddress, authorizationList: [authorization] }, "latest"],
    });
    return true;
  } catch {
    return false;
  }
}
