import type { SpendGas } from "@hardhat-identity/protocol/chain/boundedCalls";
import {
  type Chain,
  ChainUnavailableError,
  type Conversation,
} from "@hardhat-identity/protocol/chain/connect";
import type { ConsumerReading, ReadConsumer } from "@hardhat-identity/protocol/chain/consumer";
import { type OnchainPolicy, PolicyError } from "@hardhat-identity/protocol/chain/policy";
import { isSignedBy, type Recovery } from "@hardhat-identity/protocol/chain/signature";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { judgeCredential } from "@hardhat-identity/protocol/judgeCredential";
import type { Policy } from "@hardhat-identity/protocol/policy";
import type { ComposeVerification, HashPolicy } from "@hardhat-identity/protocol/protocolHashes";
import {
  checkSignIn,
  MistimedMessageError,
  type SignInRequest,
} from "@hardhat-identity/protocol/signIn/check";
import { parseSignIn } from "@hardhat-identity/protocol/signIn/parse";
import type {
  SignedVerification,
  Verification,
  VerificationRequest,
} from "@hardhat-identity/protocol/verification";
import type { SignedVerificationEntry } from "@hardhat-identity/store/audit/auditEntry";
import type { Credential, CredentialStore } from "@hardhat-identity/store/credentials/credential";
import type { SignerConfig } from "../config/config.ts";
import { notReady, ServiceError } from "../errors/serviceError.ts";
import type { KeySource } from "../keys/keySource.ts";
import { clockToleranceSeconds } from "./clock.ts";
import type { createPolicyPins } from "./policyPins.ts";
import type { Readiness } from "./readiness.ts";

/**
 * The greatest age of a reading when its verification is entered in the audit trail, in milliseconds. A moved cutoff or
 * a removed signer takes effect within that time.
 */
const maxReadingAgeMs = 2_000;

/** Seconds that a sign-in message may be old. */
export const messageMaxAgeSeconds = 600;

const secondsOfDay = 86_400;

/** The parts of the service that issuing uses. */
export interface Issuer {
  readonly config: SignerConfig;
  readonly chain: Chain;
  readonly store: Pick<CredentialStore, "find">;
  /** Recovers the signer of a message. */
  readonly recovery: Recovery;
  /** Reserves gas of the node for a client, which waits for its turn. */
  spendGas(client: string): SpendGas;
  readonly readiness: Readiness;
  /** Where a user proves an account. */
  readonly verifyUrl: string;
  /** Whether the public development secrets are in use; see secrets.ts. */
  readonly development: boolean;
  readonly readConsumer: ReadConsumer;
  /** Counts a request of a wallet for a contract; see walletLimit.ts. */
  readonly limitWallet: (wallet: string, consumer: string) => void;
  /** Refuses a contract whose policy changed, and returns the age of its reading; see policyPins.ts. */
  readonly requirePinned: ReturnType<typeof createPolicyPins>;
  /** Hashes a consumer's policy for this chain. */
  readonly hashPolicy: HashPolicy;
  /** Composes verifications for the registry. */
  readonly compose: ComposeVerification;
  /** Counts a refused request for a contract with a pinned policy; see refusals.ts. */
  countRefusal(consumer: string, refusal: ServiceError): void;
  /** Enters a verification in the audit trail. It must not be sent before this resolves. */
  enter(signed: Omit<SignedVerificationEntry, "event" | "chainId">): Promise<void>;
}

/**
 * Issues a verification. The order of the checks matters: nothing about a contract or a credential is revealed before
 * the signature is verified.
 *
 * @param asked.client The client whose share of the node's gas the request uses.
 * @throws ServiceError, ChainUnavailableError, StoreUnavailableError or KeyUnavailableError, all of which have an answer.
 */
export async function issueVerification(
  issuer: Issuer,
  asked: { readonly client: string; readonly requestId: string },
  request: VerificationRequest,
): Promise<SignedVerification> {
  const node = issuer.chain.open();
  const spend = issuer.spendGas(asked.client);
  const signIn = await readSignIn(issuer, request.message);
  await requireSignature(issuer, { node, spend }, signIn, request);
  issuer.limitWallet(signIn.wallet, signIn.consumer);
  for (let attempt = 0; attempt < 2; attempt++) {
    const reading = await issuer.readConsumer(node, signIn.consumer, spend);
    const now = await issuer.readiness.requireTime(reading.time);
    const onchain = requirePolicy(reading);
    const age = await counting(issuer, signIn, () =>
      issuer.requirePinned(signIn.consumer, onchain, reading.time.latest, asked.requestId),
    );
    if (age === "outdated") continue;
    const credential = await counting(issuer, signIn, async () => {
      const found = await requireCredential(issuer, signIn, onchain.policy);
      requireSatisfied(issuer, signIn, { reading, onchain, credential: found });
      return found;
    });
    const signingKey = await issuer.readiness.requireKey(reading);
    const { verification, signature } = await sign(issuer, signingKey, { signIn, onchain, credential, now });
    // The reading became too old while signing: drop the signature without an audit entry, and read again.
    if (reading.age() > maxReadingAgeMs) continue;
    const { user: _, ...signed } = verification;
    const { consumer } = signIn;
    const { requestId } = asked;
    await issuer.enter({
      ...signed,
      consumer,
      signer: signingKey.address,
      requestId,
    });
    return { identityHash: signed.identityHash, expiration: signed.expiration, signature };
  }
  throw new ChainUnavailableError("The node is too slow or lags too far behind.");
}

/** Counts the refusal of a step, for the contract's owner. */
async function counting<T>(
  { countRefusal }: Issuer,
  { consumer }: SignInRequest,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ServiceError) countRefusal(consumer, error);
    throw error;
  }
}

function readSignIn({ config, readiness }: Issuer, message: string): SignInRequest | Promise<never> {
  const rules = {
    chainId: config.chainId,
    maxAge: messageMaxAgeSeconds,
    maxClockSkew: clockToleranceSeconds,
  };
  try {
    return checkSignIn(parseSignIn(message), rules, new Date());
  } catch (error) {
    if (error instanceof MistimedMessageError) return refuseMistimed(readiness, error);
    throw error instanceof InvalidInputError ? new ServiceError("invalid_argument", error.message) : error;
  }
}

/**
 * A message that seems too old, or from the future, may be fresh if this machine's clock is off: the chain can tell.
 */
async function refuseMistimed(readiness: Readiness, { message }: MistimedMessageError): Promise<never> {
  const { checks } = await readiness.check();
  if (checks.chain.ok && checks.clock.ok) {
    throw new ServiceError("invalid_argument", message, { serviceTime: new Date() });
  }
  throw notReady("tell the time");
}

async function requireSignature(
  { recovery }: Issuer,
  { node, spend }: { readonly node: Conversation; readonly spend: SpendGas },
  { wallet }: SignInRequest,
  { message, signature }: VerificationRequest,
): Promise<void> {
  if (await isSignedBy(node, { message, signature, wallet }, recovery, spend)) return;
  throw new ServiceError("invalid_argument", `The signature is not one of ${wallet} over the message.`);
}

function requirePolicy(reading: ConsumerReading): OnchainPolicy {
  try {
    return reading.policy();
  } catch (error) {
    throw error instanceof PolicyError ? new ServiceError(error.code, error.message) : error;
  }
}

async function requireCredential(
  { store, verifyUrl }: Issuer,
  { wallet }: SignInRequest,
  { provider }: Policy,
): Promise<Credential> {
  const credential = await store.find(wallet, provider);
  if (credential !== undefined) return credential;
  throw new ServiceError("verification_not_found", `The wallet has no verified ${provider} account.`, {
    verifyUrl: verifyUrlFor(verifyUrl, { wallet, provider }),
  });
}

/** @throws ServiceError `needs_reauth` or `conditions_not_satisfied` */
function requireSatisfied(
  { config, development, verifyUrl }: Issuer,
  { wallet }: SignInRequest,
  known: {
    readonly reading: ConsumerReading;
    readonly onchain: OnchainPolicy;
    readonly credential: Credential;
  },
): void {
  const { reading } = known;
  const { cutoffBlock, policy } = known.onchain;
  const { authenticatedAt, traits } = known.credential;
  const cutoffTime = cutoffBlock === 0n ? 0 : reading.cutoffTime();
  const { credentialMaxAge } = config;
  const oldest = credentialMaxAge === 0 ? 0 : reading.time.now - credentialMaxAge * secondsOfDay;
  const refusal = judgeCredential({ policy, cutoffBlock, cutoffTime, oldest, traits, authenticatedAt });
  if (refusal === undefined) return;
  const { code, detail, developerDetail } = refusal;
  if (code === "conditions_not_satisfied") {
    throw new ServiceError(code, development ? developerDetail : detail);
  }
  // A cutoff's block may not exist yet: then, an account that is proven now will be too old.
  const since = cutoffTime === undefined ? reading.time.now : Math.max(cutoffTime, oldest);
  throw new ServiceError(code, detail, {
    verifyUrl: verifyUrlFor(verifyUrl, { wallet, provider: policy.provider, since }),
  });
}

/** Signs a verification, which must be entered in the audit trail before it is sent. */
async function sign(
  { config, compose, hashPolicy }: Issuer,
  signingKey: KeySource,
  input: { signIn: SignInRequest; onchain: OnchainPolicy; credential: Credential; now: number },
): Promise<{ verification: Verification; signature: Hex }> {
  const { wallet, consumer } = input.signIn;
  const { verification, digest } = compose({
    consumer,
    user: wallet,
    pseudonym: input.credential.pseudonym,
    policyHash: hashPolicy(consumer, input.onchain.encoded),
    expiration: input.now + config.verificationLifetime,
  });
  return { verification, signature: await signingKey.sign(digest) };
}

/** Returns the verify page's URL for a wallet and a provider; `since`, unix seconds, is the oldest acceptable proof. */
function verifyUrlFor(
  verifyUrl: string,
  { wallet, provider, since }: { wallet: string; provider: string; since?: number },
): string {
  const url = new URL(verifyUrl);
  url.searchParams.set("providers", provider);
  url.searchParams.set("wallet", wallet);
  if (since !== undefined) url.searchParams.set("since", String(since));
  return url.href;
}
