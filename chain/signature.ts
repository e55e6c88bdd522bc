import { AbiCoder, dataLength, dataSlice, hashMessage, Interface, id, recoverAddress } from "ethers";
import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { type BoundedAnswer, type BoundedCall, boundedCalls } from "./boundedCalls.ts";

/** ERC-1271's answer of a wallet that accepts a signature. */
const accepted = id("isValidSignature(bytes32,bytes)").slice(0, 10);
const wallet1271 = new Interface([
  "function isValidSignature(bytes32 hash, bytes signature) returns (bytes4)",
]);

/** ERC-6492: what a signature of a wallet that is not deployed yet ends with. */
const suffix6492 = "6492".repeat(16);

/** Gas for a wallet's check (a P-256 signature checked in Solidity takes a third), and for a factory's deployment. */
const checkGas = 1_500_000;
const factoryGas = 3_000_000;

/**
 * Whether a wallet signed a message (EIP-191): by its own key, or as a contract by ERC-1271, which need not be deployed
 * yet (ERC-6492). The key comes first, so that an account with EIP-7702 code can use it.
 *
 * @param node The chain is asked only when the signature is not one of the wallet's own key.
 * @param input.signature Hex.
 */
export async function isSignedBy(
  node: Eip1193Connection,
  input: { message: string; signature: string; wallet: string },
): Promise<boolean> {
  const { message, signature, wallet } = input;
  const hash = hashMessage(message);
  if (recovers(hash, signature, wallet)) return true;
  const calls = signature.endsWith(suffix6492)
    ? counterfactualCalls(wallet, hash, signature)
    : [checkCall(wallet, hash, signature)];
  if (calls === undefined) return false;
  const answers = await boundedCalls(node, calls);
  return answers.some(isAccepted);
}

/** Only 65 bytes with a low s, and a v as wallets write it: other forms of the same signature are not accepted. */
function recovers(hash: string, signature: string, wallet: string): boolean {
  if (!/^0x[0-9a-f]{128}(?:00|01|1b|1c)$/i.test(signature)) return false;
  try {
    return recoverAddress(hash, signature) === wallet;
  } catch {
    return false;
  }
}

/** Asks the wallet as it is, has the factory deploy it (or prepare it), and asks again. */
function counterfactualCalls(wallet: string, hash: string, signature: string): BoundedCall[] | undefined {
  const wrapped = dataSlice(signature, 0, dataLength(signature) - 32);
  const [target, data, inner] = decode(["address", "bytes", "bytes"], wrapped);
  if (target === undefined || data === undefined || inner === undefined) return undefined;
  const check = checkCall(wallet, hash, inner);
  // What the factory answers is not read: it has no say.
  const prepare = { target, data, gasLimit: factoryGas, sizeLimit: 0, changesState: true };
  return [check, prepare, check];
}

function decode(types: string[], data: string): string[] {
  try {
    return [...AbiCoder.defaultAbiCoder().decode(types, data)].map(String);
  } catch {
    return [];
  }
}

function checkCall(wallet: string, hash: string, signature: string): BoundedCall {
  const data = wallet1271.encodeFunctionData("isValidSignature", [hash, signature]);
  return { target: wallet, data, gasLimit: checkGas, sizeLimit: 32 };
}

function isAccepted({ success, size, data }: BoundedAnswer): boolean {
  return success && size >= 32 && data === accepted.padEnd(66, "0");
}
