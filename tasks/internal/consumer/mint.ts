import { getBytes, SigningKey } from "ethers";
import { readChainTime } from "../../../chain/clock.ts";
import { isLocalNode } from "../../../chain/localNode.ts";
import { readPolicy } from "../../../chain/policy.ts";
import { readRegistry } from "../../../chain/registry.ts";
import { composeVerification } from "../../../protocol/composeVerification.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";

export interface MintOptions {
  /** The contract that the verification is for. */
  readonly consumer: string;
  /** The wallet that may spend it. */
  readonly user: string;
  /** Any name; one name is one identity, as an account of that id would be. */
  readonly identity: string;
  /** Defaults to what the consumer's `registry()` answers. */
  readonly registry?: string | undefined;
  /** Unix seconds; defaults to 300 s after the chain's time. */
  readonly expiration?: number | undefined;
  /** 32 bytes hex; defaults to the development key, which is refused on a chain that is not a local node. */
  readonly signingKey?: string | undefined;
}

/** Mints a verification without a service and without looking at conditions: for tests. */
export async function mintVerification(
  node: Eip1193Connection,
  options: MintOptions,
): Promise<SignedVerification> {
  if (options.signingKey === undefined && !(await isLocalNode(node))) {
    throw new InvalidInputError(
      "This chain is not a local node, so the development key mints nothing here. With a signer of your own: " +
        "`--key <configuration variable>` in the task (`npx hardhat keystore set` keeps one), `signingKey` in a test.",
    );
  }
  const { consumer, user, identity } = options;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const { encoded, policy } = await readPolicy(node, consumer);
  const registry = options.registry ?? (await readRegistry(node, consumer));
  const expiration = options.expiration ?? (await readChainTime(node)).now + 300;
  const masterSecret = getBytes(development.masterSecret);
  const { verification, digest } = composeVerification({
    chainId,
    registry,
    consumer,
    user,
    encoded,
    expiration,
    identityKey: deriveKey(masterSecret, "identity"),
    pseudonym: pseudonym({
      accountKey: deriveKey(masterSecret, "account"),
      provider: policy.provider,
      accountId: identity,
    }),
  });
  const { serialized } = new SigningKey(options.signingKey ?? development.signingKey).sign(digest);
  return { identityHash: verification.identityHash, expiration, signature: serialized as Hex };
}
