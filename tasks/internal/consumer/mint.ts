import { computeAddress, getBytes, keccak256, SigningKey } from "ethers";
import { boundedCalls } from "../../../chain/boundedCalls.ts";
import { type ChainTime, readChainTime } from "../../../chain/clock.ts";
import { isLocalNode } from "../../../chain/localNode.ts";
import { judgePolicy, type OnchainPolicy, policyCalls } from "../../../chain/policy.ts";
import { judgeRegistry, registryCall } from "../../../chain/registry.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { composeVerification } from "../../../protocol/composeVerification.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { judgeCredential } from "../../../protocol/judgeCredential.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import { readTraits } from "../../../protocol/traits.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";

/** What makes a verification one that its consumer must refuse. */
export const flaws = ["expired", "wrongSigner", "otherWallet", "otherConsumer"] as const;
export type Flaw = (typeof flaws)[number];

export interface MintOptions {
  /** The contract that the verification is for. */
  readonly consumer: string;
  /** The wallet that may spend it. */
  readonly user: string;
  /** Any name; one name is one identity, as an account of that id would be. */
  readonly identity: string;
  /** What the provider says of the account, trait name → value; by default, conditions are not looked at. */
  readonly traits?: Readonly<Record<string, unknown>> | undefined;
  /** Defaults to what the consumer's `registry()` answers. */
  readonly registry?: string | undefined;
  /** Unix seconds; defaults to 300 s after the chain's time. */
  readonly expiration?: number | undefined;
  /** 32 bytes hex; defaults to the development key, which is refused on a chain that is not a local node. */
  readonly signingKey?: string | undefined;
  /** What to get wrong. */
  readonly flaw?: Flaw | undefined;
}

/** What a verification holds for, and nothing else. */
export interface Binding {
  readonly chainId: number;
  /** The registry that the consumer asks. */
  readonly registry: string;
  readonly consumer: string;
  /** The wallet. */
  readonly user: string;
  readonly identityHash: string;
  readonly policyHash: string;
  /** Unix seconds. */
  readonly expiration: number;
  /** Who signed it. */
  readonly signer: string;
}

/** The service would issue no verification for these traits: the code and sentence of its error. */
export class MintRefusal extends InvalidInputError {
  readonly code: "needs_reauth" | "conditions_not_satisfied";

  constructor(code: MintRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Mints a verification without a service: for tests.
 *
 * @throws PolicyError when the consumer has no policy that the service would serve.
 * @throws MintRefusal when traits are given for which the service would issue none.
 */
export async function mintVerification(
  node: Eip1193Connection,
  options: MintOptions,
): Promise<SignedVerification> {
  return (await mintBound(node, options)).verification;
}

/** Like {@link mintVerification}; says what the verification is bound to as well. */
export async function mintBound(
  node: Eip1193Connection,
  options: MintOptions,
): Promise<{ verification: SignedVerification; binding: Binding }> {
  const isLocal = await isLocalNode(node);
  if (options.signingKey === undefined && !isLocal) {
    throw new InvalidInputError(
      "This chain is not a local node, so the development key, which everybody has, mints nothing here. Name the key " +
        "of a signer that the registry trusts: `--key NAME` of `npx hardhat identity mint`, where NAME is a variable that " +
        "`npx hardhat keystore set NAME` sets; in a test, `signingKey`.",
    );
  }
  const { consumer } = options;
  const [chainId, answers, time] = await Promise.all([
    node.request({ method: "eth_chainId" }).then(Number),
    boundedCalls(node, [...policyCalls(consumer), registryCall(consumer)]),
    readChainTime(node, async () => isLocal),
  ]);
  const onchain = judgePolicy(consumer, answers);
  if (options.traits !== undefined) demandTraits(onchain, time, options.traits);

  const { flaw } = options;
  keys ??= deriveKeys();
  const bound = {
    chainId,
    registry: options.registry ?? judgeRegistry(consumer, answers.at(-1)),
    consumer: flaw === "otherConsumer" ? another(consumer) : consumer,
    user: flaw === "otherWallet" ? another(options.user) : options.user,
    expiration: flaw === "expired" ? time.latest.timestamp - 1 : (options.expiration ?? time.now + 300),
  };
  const { verification, digest } = composeVerification({
    ...bound,
    encoded: onchain.encoded,
    identityKey: keys.identity,
    pseudonym: pseudonym({
      accountKey: keys.account,
      provider: onchain.policy.provider,
      accountId: options.identity,
    }),
  });
  const right = options.signingKey ?? development.signingKey;
  const key = new SigningKey(flaw === "wrongSigner" ? keccak256(right) : right);
  const { identityHash, expiration } = verification;
  return {
    verification: { identityHash, expiration, signature: key.sign(digest).serialized as Hex },
    binding: { ...bound, ...verification, signer: computeAddress(key) },
  };
}

/** Of the development secret, and always the same: made once, where they are needed. */
let keys: { readonly identity: Uint8Array; readonly account: Uint8Array } | undefined;

function deriveKeys() {
  const masterSecret = getBytes(development.masterSecret);
  return { identity: deriveKey(masterSecret, "identity"), account: deriveKey(masterSecret, "account") };
}

/** As the service judges an account that is proven now. */
function demandTraits(
  { policy, cutoffBlock }: OnchainPolicy,
  { latest, now }: ChainTime,
  values: Readonly<Record<string, unknown>>,
): void {
  const traits = readTraits(policy.provider, values);
  const cutoffTime = cutoffBlock > latest.number ? undefined : 0;
  const refusal = judgeCredential({ policy, cutoffBlock, cutoffTime, traits, authenticatedAt: now });
  if (refusal !== undefined) throw new MintRefusal(refusal.code, refusal.developerDetail);
}

/** An address that is not the given one, always the same. */
const another = (address: string): string => checksumAddress(`0x${keccak256(address).slice(-40)}`);
