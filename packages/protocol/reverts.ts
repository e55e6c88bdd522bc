import { type ErrorDescription, Interface, type InterfaceAbi } from "ethers";
import { lastDateSecond } from "./lastSeconds.ts";

/** Explains an error, given its arguments, to the caller. */
type Meaning = (args: readonly unknown[], registry: string) => string;

/** The errors of the registry, the consumer bases and the examples, as Solidity declares them → what each means. */
export const revertMeanings: Readonly<Record<string, Meaning>> = {
  "error VerificationExpired(uint40 expiration)": ([expiration]) =>
    `The verification expired at ${new Date(Number(expiration) * 1000).toISOString()} by the chain's clock. Request a new one.`,
  "error InvalidSignature()": () =>
    "The signature is not a canonical 65-byte signature (r, low s, v of 27 or 28), so no signer can be recovered.",
  "error NotSigner(address signer)": ([signer], registry) =>
    [
      `The signature recovers to ${signer}, which is not on the allowlist of ${registry}.`,
      "Either that signer was removed or never added, or the verification was made for another user, identity,",
      "expiration, consumer, policy, registry or chain: then the recovered address is one that nobody knows.",
    ].join(" "),
  "error PolicyNotFound(address consumer)": ([consumer]) =>
    `The contract ${consumer} does not answer provider() and conditions().`,
  "error ZeroSigner()": () => "The zero address cannot be a signer.",
  "error SignerAlreadyAdded(address signer)": ([signer]) => `${signer} is already on the allowlist.`,
  "error SignerNotFound(address signer)": ([signer]) => `${signer} is not on the allowlist.`,
  "error OwnershipCannotBeRenounced()": () =>
    "The registry keeps an owner: without one, a signer whose key leaked could never be removed.",
  "error InvalidRegistry(address registry)": ([registry]) =>
    `There is no SignerRegistry at ${registry} on this chain.`,
  "error IdentityAlreadyUsed(bytes32 identityHash)": () =>
    "This person has already taken part, from this wallet or another one.",
  "error AlreadyEnrolled()": () => "This person has already enrolled, from this wallet or another one.",
  "error AlreadyVoted()": () =>
    "This person has already voted on this proposal, from this wallet or another one.",
  "error ProposalNotFound(uint256 proposal)": ([proposal]) => `The ballot has no proposal ${proposal}.`,
  "error PaceExceeded(uint256 retryAt)": ([retryAt]) =>
    Number(retryAt) > lastDateSecond
      ? "The contract has admitted as many people as it ever will."
      : `The contract has admitted as many people as it allows for now. Try again at ${new Date(Number(retryAt) * 1000).toISOString()}.`,
  "error PaceWithoutWindow()": () =>
    "The contract's pace() returns a window of 0 seconds, so it admits nobody. Only its developer can correct that.",
  "error NoProofs()": () => "An airdrop without a proof would pay everyone: name at least one proof.",
  "error NotProven(address proof)": ([proof]) =>
    `The wallet has not proven an account at ${proof}; prove() does.`,
  "error AlreadyClaimed(address wallet)": ([wallet]) => `${wallet} has already claimed.`,
  "error NoPosition(address wallet)": ([wallet]) =>
    `${wallet} has no position in the vault; deposit() opens one.`,
  "error InsufficientBalance(uint256 balance, uint256 amount)": ([balance, amount]) =>
    `The wallet asks for ${amount}, and has ${balance} in the vault.`,
  "error SlotNotFound(uint256 slot)": ([slot]) =>
    `A person has no slot ${slot}: use one below AGENTS_PER_PERSON, from 0.`,
  "error NotBacker(address agent, address wallet)": ([agent, wallet]) =>
    `${wallet} does not back ${agent}; back() does.`,
  "error TargetOnly()": () => "Only the policy's target, which its owner sets, can ask it.",
  "error ZeroTarget()": () => "The target is the zero address; give the contract that asks the policy.",
  "error TargetAlreadySet()": () => "The policy already has a target, and keeps it.",
};

const errors = Interface.from(Object.keys(revertMeanings));

/** A contract's refusal. */
export interface Revert {
  /** As Solidity writes it, such as `NotSigner(0x…)`; the raw data if no ABI has the error. */
  readonly text: string;
  /** One sentence, if the error is one of this package's. */
  readonly meaning: string | undefined;
}

/**
 * Decodes the revert of a contract.
 *
 * @param data The revert data, hex; `0x` for none.
 * @param known.registry The name or address to call the registry by.
 * @param known.abis The ABIs of other contracts whose errors are known.
 */
export function describeRevert(
  data: string,
  known: { registry?: string; abis?: readonly InterfaceAbi[] } = {},
): Revert {
  if (data === "0x") return { text: "a revert without a reason", meaning: undefined };
  const own = parse(errors, data);
  if (own !== undefined) {
    const meaning = revertMeanings[own.fragment.format("full")];
    return { text: write(own), meaning: meaning?.(own.args, known.registry ?? "the registry") };
  }
  for (const abi of known.abis ?? []) {
    const parsed = parse(Interface.from(abi), data);
    if (parsed !== undefined) return { text: write(parsed), meaning: undefined };
  }
  return { text: data, meaning: undefined };
}

function parse(contract: Interface, data: string): ErrorDescription | undefined {
  try {
    return contract.parseError(data) ?? undefined;
  } catch {
    // Another error with the same selector.
    return undefined;
  }
}

function write({ name, args }: ErrorDescription): string {
  const values = [...args].map((arg) =>
    typeof arg === "string" && !arg.startsWith("0x") ? JSON.stringify(arg) : String(arg),
  );
  return `${name}(${values.join(", ")})`;
}
