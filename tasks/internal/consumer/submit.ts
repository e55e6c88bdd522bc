import { type InterfaceAbi, toQuantity } from "ethers";
import { encodeCall, type Receipt, sendCall, waitForReceipt } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { describeRevert, type Revert } from "../../../protocol/reverts.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";

/** Which entry point of which consumer to call, and as whom. */
export interface Submission {
  readonly consumer: string;
  readonly wallet: string;
  readonly chainId: number;
  readonly verification: SignedVerification;
  /** A function's name, when it takes the verification alone, or its whole signature. */
  readonly entryPoint: string;
  /** Its other arguments, by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Wei. */
  readonly value: bigint;
  /** Reads the ABIs of contracts whose errors are told by name. */
  readonly readAbis: () => Promise<readonly InterfaceAbi[]>;
}

/**
 * Hands a verification to a consumer. The call is tried out first, so that a refusal costs nothing and is told in
 * the contract's own words.
 */
export async function submitVerification(
  node: Eip1193Connection,
  submission: Submission,
): Promise<{ receipt: Receipt } | { revert: Revert }> {
  const { consumer: to, wallet: from, chainId, verification, entryPoint, args, value, readAbis } = submission;
  const abi = entryPoint.includes("(")
    ? entryPoint
    : `${entryPoint}(bytes32 identityHash, uint40 expiration, bytes signature)`;
  const data = encodeCall({ abi, verification, args });
  try {
    await node.request({
      method: "eth_call",
      params: [{ from, to, data, value: toQuantity(value) }, "pending"],
    });
  } catch (error) {
    const { data: revertData } = readRpcError(error);
    if (revertData === undefined) throw error;
    return { revert: describeRevert(revertData, { abis: await readAbis() }) };
  }
  const hash = await sendCall(node, { from, to, data, value, chainId });
  return { receipt: await waitForReceipt(node, { hash, interval: 50 }) };
}
