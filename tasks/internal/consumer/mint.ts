import { checksumAddress } from "@hardhat-identity/protocol/address";
import { type ChainTime, readChainTime } from "@hardhat-identity/protocol/chain/clock";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { type OnchainPolicy, readPolicyAndRegistry } from "@hardhat-identity/protocol/chain/policy";
import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { judgeCredential } from "@hardhat-identity/protocol/judgeCredential";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { policyHash, pseudonym, verificationComposer } from "@hardhat-identity/protocol/protocolHashes";
import { readTypedTraits } from "@hardhat-identity/protocol/traits";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { computeAddress, getBytes, keccak256, SigningKey } from "ethers";

/** The deliberate errors that make a consumer refuse a verification. */
export const flaws = ["expired", "wrongSigner", "otherWallet", "otherConsumer"] as const;
export type Flaw = (typeof flaws)[number];

/** The checked options of `TestMintOptions`, and whether the verification must fail. */
export interface MintOptions {
  readonly consumer: string;
  readonly user: string;
  readonly identity: string;
  readonly traits?: Readonly<Record<string, unknown>> | undefined;
  readonly registry?: string | undefined;
  readonly expiration?: number | undefined;
  readonly signingKey?: string | undefined;
  /** Defaults to the chain's. */
  readonly chainId?: number | undefined;
  /** Another contract to bind it to, or another policy of the same contract. */
  readonly binding?: { readonly consumer?: string; readonly policyHash?: Hex } | undefined;
  /** A deliberate error of the verification. */
  readonly flaw?: Flaw | undefined;
}

/** The values that a verification is bound to. It is valid for no others. */
export interface Binding {
  readonly chainId: number;
  /** The consumer's registry. */
  readonly registry: string;
  readonly consumer: string;
  /** The wallet. */
  readonly user: string;
  readonly identityHash: string;
  readonly policyHash: string;
  /** Unix seconds. */
  readonly expiration: number;
  /** Address of the signer. */
  readonly signer: string;
}

/** A verification and its binding. */
export interface Minted {
  readonly verification: SignedVerification;
  readonly binding: Binding;
}

/** Signs a digest with a key, each 32 bytes hex. */
export type Sign = (key: string, digest: Hex) => Hex;

/** The service would refuse a verification for these traits. Carries the code and message of the service's error. */
export class MintRefusal extends InvalidInputError {
  readonly code: "needs_reauth" | "conditions_not_satisfied";

  constructor(code: MintRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Mints a verification for a test, without a service, and returns it with its binding.
 *
 * @throws PolicyError if the consumer has no policy that the service accepts.
 * @throws MintRefusal if the service would issue no verification for the traits.
 */
export async function mintVerification(node: Eip1193Connection, options: MintOptions): Promise<Minted> {
  const [minted] = await mintVerifications(node, options.consumer, [options]);
  if (minted === undefined) throw new Error("nothing was minted");
  return minted;
}

/** Mints verifications for one consumer, which is asked for its policy once; otherwise like {@link mintVerification}. */
export async function mintVerifications(
  node: Eip1193Connection,
  consumer: string,
  all: readonly Omit<MintOptions, "consumer">[],
  sign: Sign = (key, digest) => new SigningKey(key).sign(digest).serialized as Hex,
): Promise<Minted[]> {
  const [chainId, isLocal] = await Promise.all([
    node.request({ method: "eth_chainId" }).then(Number),
    isLocalNode(node),
  ]);
  if (!isLocal && all.some(({ signingKey }) => signingKey === undefined)) {
    throw new InvalidInputError(
      "This chain is not a local node, and the development key is public, so it mints nothing here. Give the key of a " +
        "signer that the registry trusts: `npx hardhat identity mint --key NAME`, after `npx hardhat keystore set NAME`; " +
        "in a test, `signingKey`.",
    );
  }
  const [onchain, time] = await Promise.all([
    readPolicyAndRegistry(node, consumer),
    readChainTime(node, async () => isLocal),
  ]);
  return all.map((options) => {
    if (options.traits !== undefined) requireTraits(onchain, time, options.traits);
    const { flaw, binding = {} } = options;
    const bound = {
      chainId: options.chainId ?? chainId,
      registry: options.registry ?? onchain.registry(),
      consumer: binding.consumer ?? (flaw === "otherConsumer" ? another(consumer) : consumer),
      user: flaw === "otherWallet" ? another(options.user) : options.user,
      expiration: flaw === "expired" ? time.latest.timestamp - 1 : (options.expiration ?? time.now + 300),
    };
    const { provider } = onchain.policy;
    const compose = verificationComposer({ ...bound, identityKey });
    const { verification, digest } = compose({
      ...bound,
      policyHash: binding.policyHash ?? policyHash({ ...bound, encoded: onchain.encoded }),
      pseudonym: pseudonym({ accountKey, provider, accountId: options.identity }),
    });
    const right = options.signingKey ?? development.signingKey;
    const key = flaw === "wrongSigner" ? keccak256(right) : right;
    const { identityHash, expiration } = verification;
    return {
      verification: { identityHash, expiration, signature: sign(key, digest) },
      binding: { ...bound, ...verification, signer: addressOf(key) },
    };
  });
}

/** The addresses of keys; each takes a millisecond to compute. */
const addresses = new Map<string, string>();

function addressOf(key: string): string {
  const address = addresses.get(key) ?? computeAddress(key);
  addresses.set(key, address);
  return address;
}

const masterSecret = getBytes(development.masterSecret);
const identityKey = deriveKey(masterSecret, "identity");
const accountKey = deriveKey(masterSecret, "account");

/** Checks traits as the service does for an account that is proven now. */
function requireTraits(
  { policy, cutoffBlock }: OnchainPolicy,
  { latest, now }: ChainTime,
  values: Readonly<Record<string, unknown>>,
): void {
  const traits = readTypedTraits(policy.provider, values);
  const cutoffTime = cutoffBlock > latest.number ? undefined : 0;
  const refusal = judgeCredential({ policy, cutoffBlock, cutoffTime, traits, authenticatedAt: now });
  if (refusal !== undefined) throw new MintRefusal(refusal.code, refusal.developerDetail);
}

/** Derives a different address; always the same one for an address. */
const another = (address: string): string => checksumAddress(`0x${keccak256(address).slice(-40)}`);
