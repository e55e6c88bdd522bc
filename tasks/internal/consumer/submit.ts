import { toQuantity } from "ethers";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { encodeCall, type Receipt, sendCall, waitForReceipt } from "../../../client/index.ts";
import { readArtifact } from "../../../ignition/artifacts.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { describeRevert, findRevertData } from "./revert.ts";

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
}

/**
 * Hands a verification to a consumer. The call is tried out first, so that a refusal costs nothing and is told in
 * the contract's own words.
 */
export async function submitVerification(
  hre: HardhatRuntimeEnvironment,
  node: Eip1193Connection,
  submission: Submission,
): Promise<{ receipt: Receipt } | { revert: string }> {
  const { consumer: to, wallet: from, entryPoint, verification, args, chainId } = submission;
  const abi = entryPoint.includes("(")
    ? entryPoint
    : `${entryPoint}(bytes32 identityHash, uint40 expiration, bytes signature)`;
  const data = encodeCall({ abi, verification, args });
  const { value } = submission;
  try {
    await node.request({
      method: "eth_call",
      params: [{ from, to, data, value: toQuantity(value) }, "pending"],
    });
  } catch (error) {
    const revertData = findRevertData(error);
    if (revertData === undefined) throw error;
    return { revert: describeRevert(revertData, await knownAbis(hre)).text };
  }
  const hash = await sendCall(node, { from, to, data, value, chainId });
  return { receipt: await waitForReceipt(node, { hash, interval: 50 }) };
}

/** The project's own contracts, and those of this package. */
async function knownAbis(hre: HardhatRuntimeEnvironment) {
  const names = [...(await hre.artifacts.getAllFullyQualifiedNames())];
  const artifacts = await Promise.all(names.map((name) => hre.artifacts.readArtifact(name)));
  return [
    readArtifact("SignerRegistry").abi,
    readArtifact("examples/IncentiveProgram").abi,
    ...artifacts.map(({ abi }) => abi),
  ];
}
