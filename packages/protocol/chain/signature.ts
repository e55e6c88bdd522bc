import { bytes32Word, encodeBytes, uintWord } from "../abiWords.ts";
import type { Eip1193Connection } from "../eip1193.ts";
import { functionSelector } from "../hashes.ts";
import { type Hex, isHex } from "../hex.ts";
import { expandSignature } from "../signature.ts";
import {
  type BoundedAnswer,
  type BoundedCall,
  boundedCalls,
  type SpendGas,
  spendFreely,
} from "./boundedCalls.ts";
import { abiReader } from "./internal/abiReader.ts";

/** ERC-1271's magic value: the wallet accepts the signature. */
const accepted = functionSelector("isValidSignature(bytes32,bytes)");

/** ERC-6492: the suffix of a signature by a wallet that is not deployed yet. */
const suffix6492 = "6492".repeat(16);

/** Gas for a wallet's check (a P-256 signature checked in Solidity takes a third), and for a factory's deployment. */
const checkGas = 1_000_000;
const factoryGas = 1_500_000;

/** Recovers the address whose key signed a message. */
export interface Recovery {
  /** EIP-191's hash of a text, 32 bytes hex. */
  hashMessage(message: string): Hex;
  /** The signer of a digest, in lower case; `undefined` if the signature is not canonical; see `readParity`. */
  recover(digest: Hex, signature: string): Hex | undefined;
}

/**
 * Whether a wallet signed a message (EIP-191): with its own key (65 bytes, or 64 by EIP-2098), or as a contract (ERC-1271)
 * that need not be deployed yet (ERC-6492). The key comes first, so that an account with EIP-7702 code can use it.
 *
 * @param node Used only if the signature is not by the wallet's own key.
 * @param input.signature Hex.
 * @param recovery Recovers the key that signed.
 * @param spend Limits the gas.
 */
export async function isSignedBy(
  node: Eip1193Connection,
  input: { message: string; signature: string; wallet: string },
  recovery: Recovery,
  spend: SpendGas = spendFreely,
): Promise<boolean> {
  const { message, signature, wallet } = input;
  if (!isHex(signature)) return false;
  const hash = recovery.hashMessage(message);
  if (recovery.recover(hash, expandSignature(signature)) === wallet.toLowerCase()) return true;
  const deployment = signature.endsWith(suffix6492) ? unwrap(signature) : undefined;
  if (signature.endsWith(suffix6492) && deployment === undefined) return false;
  const check = checkCall(wallet, hash, deployment?.signature ?? signature);
  const [answer] = await spend(checkGas, () => boundedCalls(node, [check]));
  if (deployment === undefined || answer?.hasCode !== false) return isAccepted(answer);
  return spend(factoryGas + checkGas, () => isAcceptedOnceDeployed(node, check, deployment));
}

/** The content of an ERC-6492 signature: the factory, its call data, and the wallet's signature. */
interface Deployment {
  readonly factory: string;
  readonly data: string;
  readonly signature: string;
}

function unwrap(wrapped: string): Deployment | undefined {
  const { address, number, bytes } = abiReader(wrapped.slice(0, -suffix6492.length));
  try {
    return { factory: address(0), data: bytes(number(32)), signature: bytes(number(64)) };
  } catch {
    return undefined;
  }
}

/**
 * Simulates the deployment of the wallet and asks it. A factory may do anything else in that call, so a wallet that already
 * exists is never judged after one: the factory could change its answer.
 */
async function isAcceptedOnceDeployed(
  node: Eip1193Connection,
  check: BoundedCall,
  { factory, data }: Deployment,
): Promise<boolean> {
  // It may have been deployed meanwhile.
  const look = { target: check.target, data: "0x", gasLimit: 0, sizeLimit: 0 };
  // The factory's answer is not read.
  const deploy = { target: factory, data, gasLimit: factoryGas, sizeLimit: 0, changesState: true };
  const [before, , after] = await boundedCalls(node, [look, deploy, check]);
  return before?.hasCode === false && isAccepted(after);
}

function checkCall(wallet: string, hash: string, signature: string): BoundedCall {
  const given = encodeBytes(signature.slice(2).toLowerCase());
  const data = `${accepted}${bytes32Word(hash)}${uintWord(64)}${given.hex}`;
  return { target: wallet, data, gasLimit: checkGas, sizeLimit: 32 };
}

function isAccepted(answer: BoundedAnswer | undefined): boolean {
  if (answer === undefined) return false;
  const { hasCode, success, data } = answer;
  return hasCode && success && data === accepted.padEnd(66, "0");
}
