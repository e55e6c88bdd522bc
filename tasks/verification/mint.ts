import { getBytes, SigningKey } from "ethers";
import { development } from "../../protocol/development.ts";
import type { Eip1193Provider } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { identityHash, pseudonym } from "../../protocol/identityHash.ts";
import { deriveKey } from "../../protocol/keys.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import {
  hashVerification,
  type SignedVerification,
  verificationDomain,
} from "../../protocol/verification.ts";
import { isLocalNode } from "../../signer/chain/localNode.ts";
import { readPolicy, readRegistry } from "../../signer/chain/policy.ts";
import { pendingTimestamp } from "./pendingTimestamp.ts";

export interface MintOptions {
  /** The contract that the verification is for. */
  readonly consumer: string;
  /** The wallet that may spend it. */
  readonly user: string;
  /** Any name; one name is one identity, as an account of that id would be. */
  readonly identity: string;
  /** Defaults to what the consumer's `registry()` answers. */
  readonly registry?: string | undefined;
  /** Unix seconds; defaults to 300 s after the pending block. */
  readonly expiration?: number | undefined;
  /** 32 bytes hex; defaults to the development key, which is refused on a chain that is not a local node. */
  readonly signingKey?: string | undefined;
}

/** Mints a verification without a service and without looking at conditions: for tests. */
export async function mintVerification(
  provider: Eip1193Provider,
  options: MintOptions,
): Promise<SignedVerification> {
  if (options.signingKey === undefined && !(await isLocalNode(provider))) {
    throw new InvalidInputError(
      "This chain is not a local node, so the development key mints nothing here; name a signing key.",
    );
  }
  const { consumer, user, identity } = options;
  const chainId = Number(await provider.request({ method: "eth_chainId" }));
  const { encoded, policy } = await readPolicy(provider, consumer);
  const registry = options.registry ?? (await readRegistry(provider, consumer));
  const masterSecret = getBytes(development.masterSecret);
  const account = pseudonym({
    accountKey: deriveKey(masterSecret, "account"),
    provider: policy.provider,
    accountId: identity,
  });
  const verification = {
    user,
    identityHash: identityHash({
      identityKey: deriveKey(masterSecret, "identity"),
      chainId,
      consumer,
      pseudonym: account,
    }),
    policyHash: policyHash({ chainId, consumer, encoded }),
    expiration: options.expiration ?? (await pendingTimestamp(provider)) + 300,
  };
  const digest = hashVerification(verificationDomain({ chainId, registry }), verification);
  const { serialized } = new SigningKey(options.signingKey ?? development.signingKey).sign(digest);
  return {
    identityHash: verification.identityHash,
    expiration: verification.expiration,
    signature: serialized,
  };
}
