import { AbiCoder, id } from "ethers";
import type { Eip1193Provider } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { findPolicyProblem, type Policy } from "../../protocol/policy.ts";
import { decodePolicy, type EncodedPolicy } from "../../protocol/policyEncoding.ts";

/** A consumer's policy as it stands on the chain. */
export interface OnchainPolicy {
  readonly encoded: EncodedPolicy;
  readonly policy: Policy;
}

/** Reads a consumer's policy. */
export async function readPolicy(provider: Eip1193Provider, consumer: string): Promise<OnchainPolicy> {
  const call = async (getter: string) =>
    String(
      await provider.request({
        method: "eth_call",
        params: [{ to: consumer, data: id(getter).slice(0, 10) }, "latest"],
      }),
    );
  const encoded = { provider: await call("provider()"), conditions: await call("conditions()") };
  const decoded = decodePolicy(encoded);
  if (decoded === undefined) throw new InvalidInputError(`The contract ${consumer} exposes no policy.`);
  const problem = "problem" in decoded ? decoded.problem : findPolicyProblem(decoded.policy);
  if (problem !== undefined || !("policy" in decoded)) throw new InvalidInputError(problem ?? "");
  return { encoded, policy: decoded.policy };
}

/** Reads which registry a consumer asks. */
export async function readRegistry(provider: Eip1193Provider, consumer: string): Promise<string> {
  const data = await provider.request({
    method: "eth_call",
    params: [{ to: consumer, data: id("registry()").slice(0, 10) }, "latest"],
  });
  return AbiCoder.defaultAbiCoder().decode(["address"], String(data))[0];
}
