import { checksumAddress, isSameAddress } from "@hardhat-identity/protocol/address";
import { readRegistry } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { lastChainSecond } from "@hardhat-identity/protocol/lastSeconds";
import { hashVerification } from "@hardhat-identity/protocol/protocolHashes";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { verificationDomain } from "@hardhat-identity/protocol/verification";
import { recoverAddress } from "ethers";
import type { Binding } from "../consumer/mint.ts";
import { inspectPolicy } from "../consumer/policy.ts";

/** A call or a transaction of a request to the node. */
export interface NodeCall {
  readonly from?: string;
  readonly to?: string;
  readonly data?: string;
  readonly input?: string;
}

/** The data that a connection keeps in order to explain refusals. */
export interface Remembered {
  /** Signature, lower case → binding of the verification that was minted or requested on this connection. */
  readonly bindings: Map<string, Binding>;
  /** Revert data, lower case → the last call that reverted with it. */
  readonly reverted: Map<string, NodeCall>;
}

/** Keeps the binding of a verification. */
export function remember({ bindings }: Remembered, signature: string, binding: Binding): void {
  bindings.set(signature.toLowerCase(), binding);
}

/** The values that a verification was used with. */
interface Use {
  readonly registry: string;
  readonly consumer: string;
  readonly user: string;
  readonly identityHash: string;
  readonly expiration: number;
}

/** Explains why a call failed; see `PluginIdentity.explain`. */
export async function explainError(
  node: Eip1193Connection,
  remembered: Remembered,
  error: unknown,
): Promise<string> {
  const data = findRevertData(error);
  if (data === undefined) return describeOther(error);
  const { text, meaning } = describeRevert(data);
  const [, recovered] = /^NotSigner\((0x\w+)\)$/.exec(text) ?? [];
  const call = remembered.reverted.get(data);
  // If the node fails, its error is what can be said.
  const more = recovered && (await explainCall(node, remembered, call, recovered).catch(describeOther));
  const words = more || meaning;
  if (words !== undefined) return `${text}: ${words}`;
  // The error of another contract. The thrown error may know its name.
  return typeof error === "string" || data === "0x" ? `${text}.` : describeOther(error);
}

/**
 * Explains how a reverted call used a verification, if both are known.
 *
 * @param recovered The signer that the registry recovered, which tells what the verification was really used with.
 */
async function explainCall(
  node: Eip1193Connection,
  { bindings }: Remembered,
  call: NodeCall | undefined,
  recovered: string,
): Promise<string | undefined> {
  const input = (call?.data ?? call?.input ?? "").toLowerCase();
  const [signature = "", binding] =
    [...bindings].find(([signature]) => input.includes(signature.slice(2))) ?? [];
  if (binding === undefined || !call?.from || !call.to) return undefined;
  // A contract that is no consumer passed the call on, so the consumer's caller is unknown.
  const registry = await readRegistry(node, call.to).catch(unlessNodeFails);
  if (registry === undefined) return undefined;
  const consumer = checksumAddress(call.to);
  const use = { registry, consumer, user: checksumAddress(call.from) };
  const { chainId, policyHash } = await readChain(node, consumer);
  if (policyHash === undefined) return undefined;
  const domain = verificationDomain({ chainId, registry });
  // Candidates for the identity hash and expiration that the call passed: the bound values, or words of the call data.
  const words = (input.slice(10, 10 + 64 * 16).match(/[0-9a-f]{64}/g) ?? []).map(
    (word) => `0x${word}` as Hex,
  );
  const expirations = words.map(Number).filter((seconds) => seconds <= lastChainSecond);
  for (const identityHash of [binding.identityHash as Hex, ...words]) {
    for (const expiration of [binding.expiration, ...expirations]) {
      const digest = hashVerification(domain, { ...use, identityHash, policyHash, expiration });
      if (recoverAddress(digest, signature) === recovered) {
        return compareUse(node, binding, { ...use, identityHash, expiration });
      }
    }
  }
  return `The verification is bound to the wallet ${binding.user}, the identity hash ${binding.identityHash} and the expiration ${binding.expiration} at the consumer ${binding.consumer}, but was used with other values.`;
}

async function readChain(node: Eip1193Connection, consumer: string) {
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const policy = await inspectPolicy(node, consumer).catch(unlessNodeFails);
  return { chainId, policyHash: policy?.policyHash as Hex | undefined };
}

/** A contract that is no consumer has neither registry nor policy. A failure of the node says nothing about it. */
function unlessNodeFails(error: unknown): undefined {
  if (!(error instanceof InvalidInputError)) throw error;
}

/** Explains a `NotSigner` error by the differences between a verification's binding and its use. */
export async function compareUse(node: Eip1193Connection, bound: Binding, use: Use): Promise<string> {
  const { chainId, policyHash } = await readChain(node, use.consumer);
  const differences: string[] = [];
  const compare = (what: string, boundTo: string | number, usedWith: string | number | undefined) => {
    if (String(boundTo).toLowerCase() === String(usedWith).toLowerCase()) return;
    differences.push(`the ${what} ${boundTo}, but used with ${usedWith ?? "another one"}`);
  };
  compare("wallet", bound.user, use.user);
  compare("consumer", bound.consumer, use.consumer);
  compare("chain", bound.chainId, chainId);
  compare("registry", bound.registry, use.registry);
  compare("identity hash", bound.identityHash, use.identityHash);
  compare("expiration", bound.expiration, use.expiration);
  // The hash covers consumer and chain, too.
  if (isSameAddress(bound.consumer, use.consumer) && bound.chainId === chainId) {
    compare("policy", bound.policyHash, policyHash);
  }
  if (differences.length > 0) return `The verification is bound to ${differences.join("; to ")}.`;
  return `${bound.signer} signed the verification for exactly this use, but is not on the allowlist of ${use.registry}.`;
}

/** Finds the revert data of an error, in lower case. Errors of the client have it under another name. */
function findRevertData(error: unknown): string | undefined {
  if (typeof error === "string") return isHex(error) ? error.toLowerCase() : undefined;
  const { revertData, raw } = membersOf(error) as { revertData?: unknown; raw?: unknown };
  const { data } = readRpcError(error);
  const found = [data, revertData, raw].find((each): each is string => typeof each === "string");
  return found?.toLowerCase();
}

function describeOther(error: unknown): string {
  const { message, code } = membersOf(error) as { message?: unknown; code?: unknown };
  if (typeof message !== "string") return "This contains no contract error.";
  const [line = ""] = message.split("\n");
  const text = line.length > 400 ? `${line.slice(0, 400)}…` : line;
  return typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text;
}
