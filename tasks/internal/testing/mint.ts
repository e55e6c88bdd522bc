import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import type { TraitValues } from "../../../protocol/traits.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { type Binding, type Flaw, flaws, mintBound } from "../consumer/mint.ts";
import {
  type AddressLike,
  checkMembers,
  describe,
  readAddress,
  readOptionalAddress,
  readSeconds,
  readText,
  readTraitValues,
  type Seconds,
} from "./arguments.ts";

/** What to mint. */
export interface TestMintOptions {
  /** The contract that the verification is for. */
  readonly consumer: AddressLike;
  /** The wallet that may spend it. */
  readonly user: AddressLike;
  /** Any name; one name is one person, from whatever wallet. */
  readonly identity: string;
  /** Judged by the consumer's live policy, as the service does; by default, conditions are not looked at. */
  readonly traits?: TraitValues | undefined;
  /** Defaults to what the consumer's `registry()` answers. */
  readonly registry?: AddressLike | undefined;
  /** The last second at which it is valid, unix seconds; defaults to 300 s after the chain's time. */
  readonly expiration?: Seconds | undefined;
  /** 32 bytes hex, on a chain that is not a local node; defaults to the development key. */
  readonly signingKey?: string | undefined;
  /** Makes one that has expired: `VerificationExpired`. */
  readonly expired?: boolean | undefined;
  /** Makes one that a stranger signed: `NotSigner`. */
  readonly wrongSigner?: boolean | undefined;
  /** Makes one that is for another wallet than `user`: `NotSigner`. */
  readonly otherWallet?: boolean | undefined;
  /** Makes one that is for another contract than `consumer`: `NotSigner`. */
  readonly otherConsumer?: boolean | undefined;
}

/** A verification, and the same as the arguments of an entry point. */
export interface MintedVerification extends SignedVerification {
  readonly args: readonly [identityHash: Hex, expiration: number, signature: Hex];
}

const known = [
  "consumer",
  "user",
  "identity",
  "traits",
  "registry",
  "expiration",
  "signingKey",
  ...flaws,
] as const satisfies readonly (keyof TestMintOptions)[];

/** Mints a verification as a test asks for it; says what it is bound to. */
export async function mintForTest(
  node: Eip1193Connection,
  options: TestMintOptions,
): Promise<{ verification: SignedVerification; binding: Binding }> {
  checkMembers("identity.mint", options, known);
  const { traits, expiration, signingKey } = options;
  const flaw = readFlaw(options);
  if (flaw === "expired" && expiration !== undefined) {
    throw new InvalidInputError("expiration and expired both say when it ends; give one of them.");
  }
  return mintBound(node, {
    consumer: readAddress("consumer", options.consumer),
    user: readAddress("user", options.user),
    identity: readText("identity", options.identity, `a person's name, such as "alice"`),
    traits: traits === undefined ? undefined : readTraitValues("traits", traits),
    registry: readOptionalAddress("registry", options.registry),
    expiration: expiration === undefined ? undefined : readSeconds("expiration", expiration),
    signingKey: signingKey === undefined ? undefined : readSigningKey(signingKey),
    flaw,
  });
}

export function withArguments(verification: SignedVerification): MintedVerification {
  const { identityHash, expiration, signature } = verification;
  return { ...verification, args: [identityHash, expiration, signature] };
}

function readFlaw(options: TestMintOptions): Flaw | undefined {
  for (const flaw of flaws) {
    const value: unknown = options[flaw];
    if (value === undefined || typeof value === "boolean") continue;
    throw new InvalidInputError(`${flaw} must be true or false, got ${describe(value)}.`);
  }
  const [flaw, another] = flaws.filter((each) => options[each]);
  if (another === undefined) return flaw;
  throw new InvalidInputError(
    `${flaw} and ${another} cannot be had at once: the registry reports one error; mint two verifications.`,
  );
}

/** What it got is a secret, and not shown. */
function readSigningKey(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) return value;
  throw new InvalidInputError("signingKey must be a private key: 32 bytes as hex after 0x (not shown).");
}
