import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { TraitValues } from "@hardhat-identity/protocol/traits";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { type Flaw, flaws, mintVerification } from "../consumer/mint.ts";
import {
  type AddressLike,
  checkMembers,
  readAddress,
  readOptionalAddress,
  readSeconds,
  readText,
  readTraitValues,
  type Seconds,
} from "./arguments.ts";
import { type Remembered, remember } from "./explain.ts";

/** The options of a test verification. */
export interface TestMintOptions {
  /** The contract that the verification is for. */
  readonly consumer: AddressLike;
  /** The wallet that may spend it. */
  readonly user: AddressLike;
  /** Any name. The same name is the same person, with any wallet. */
  readonly identity: string;
  /** Traits to check against the consumer's policy, as the service does. By default, conditions are not checked. */
  readonly traits?: TraitValues | undefined;
  /** Defaults to the consumer's `registry()`. */
  readonly registry?: AddressLike | undefined;
  /** The last second of validity, unix seconds. Defaults to 300 s after the chain's time. */
  readonly expiration?: Seconds | undefined;
  /** 32 bytes hex. Defaults to the development key, which works on a local node only. */
  readonly signingKey?: string | undefined;
  /** Makes the verification expired: `VerificationExpired`. */
  readonly expired?: boolean | undefined;
  /** Signs the verification with an unknown key: `NotSigner`. */
  readonly wrongSigner?: boolean | undefined;
  /** Binds the verification to another wallet than `user`: `NotSigner`. */
  readonly otherWallet?: boolean | undefined;
  /** Binds the verification to another contract than `consumer`: `NotSigner`. */
  readonly otherConsumer?: boolean | undefined;
}

/** A verification, also in the form of an entry point's arguments. */
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

/** Mints a verification for a test, and remembers what it is bound to. */
export async function mintForTest(
  node: Eip1193Connection,
  remembered: Remembered,
  options: TestMintOptions,
): Promise<MintedVerification> {
  checkMembers("identity.mint", options, known);
  const { traits, expiration, signingKey } = options;
  const flaw = readFlaw(options);
  if (flaw === "expired" && expiration !== undefined) {
    throw new InvalidInputError("expiration and expired both set the expiration; give one of them.");
  }
  const { verification, binding } = await mintVerification(node, {
    consumer: readAddress("consumer", options.consumer),
    user: readAddress("user", options.user),
    identity: readText("identity", options.identity, `a person's name, such as "alice"`),
    traits: traits === undefined ? undefined : readTraitValues("traits", traits),
    registry: readOptionalAddress("registry", options.registry),
    expiration: expiration === undefined ? undefined : readSeconds("expiration", expiration),
    signingKey: signingKey === undefined ? undefined : readSigningKey(signingKey),
    flaw,
  });
  remember(remembered, verification.signature, binding);
  return withArguments(verification);
}

/** Adds the arguments of an entry point. */
export function withArguments(verification: SignedVerification): MintedVerification {
  const { identityHash, expiration, signature } = verification;
  return { ...verification, args: [identityHash, expiration, signature] };
}

function readFlaw(options: TestMintOptions): Flaw | undefined {
  for (const flaw of flaws) {
    const value: unknown = options[flaw];
    if (value === undefined || typeof value === "boolean") continue;
    throw new InvalidInputError(`${flaw} must be true or false, got ${describeValue(value)}.`);
  }
  const [flaw, another] = flaws.filter((each) => options[each]);
  if (another === undefined) return flaw;
  throw new InvalidInputError(
    `${flaw} and ${another} cannot be combined: the registry reports only one error. Mint two verifications.`,
  );
}

/** Reads a private key. The error does not show the value. */
function readSigningKey(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) return value;
  throw new InvalidInputError("signingKey must be a private key: 32 bytes as hex after 0x (not shown).");
}
