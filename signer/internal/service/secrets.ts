import { type Chain, ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { development, isWellKnownAddress } from "@hardhat-identity/protocol/development";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { SignerConfig } from "../config/config.ts";
import type { Curve } from "../curve/curve.ts";
import { withRemedy } from "../errors/remedies.ts";
import type { KeyLocation } from "../keys/keyLocation.ts";
import type { KeySource } from "../keys/keySource.ts";
import { adoptSource } from "../keys/moduleKey.ts";
import { openKeySource } from "../keys/openKeySource.ts";

/** The secrets of the service. */
export interface Secrets {
  /** 32 bytes hex. */
  readonly masterSecret: string;
  readonly signingKey: KeySource;
  /** The next signing key, if a rotation is configured. */
  readonly nextSigningKey: KeySource | undefined;
  /**
   * Whether they are the public development secrets, which serve a local node only. Then there is nothing to lose, and the
   * service does what is safe only there: it uses the chain's clock however far it is off, tells the node's URL, and takes
   * plain http. Any node can say that it is a local one, so with other secrets its word grants nothing.
   */
  readonly development: boolean;
}

/**
 * Returns the configured secrets. On a local node, the public development secrets replace missing ones.
 *
 * @param keySource A signing key that the caller opened.
 * @throws InvalidInputError when a development secret would be used on a chain that is not a local node, or together
 * with a secret that is not public: a node's claim to be local must not decide whether anybody can guess people's
 * accounts. Also when the next signing key equals the current one, or both a setting and the caller
 * bring a signing key.
 */
export async function resolveSecrets(
  config: Pick<SignerConfig, "masterSecret" | "signingKey" | "nextSigningKey">,
  chain: Chain,
  curve: Curve,
  keySource?: KeySource,
): Promise<Secrets> {
  const masterSecret = config.masterSecret ?? development.masterSecret;
  if (keySource && config.signingKey) {
    throw new InvalidInputError(
      `startSigner got a keySource, and ${signingKeySetting} is set as well; remove one.`,
    );
  }
  const signingKey = keySource
    ? await adoptSource(keySource, curve, "startSigner's keySource")
    : await openKeySource(config.signingKey ?? developmentKey, signingKeySetting, curve);
  const nextSigningKey =
    config.nextSigningKey && (await openKeySource(config.nextSigningKey, nextSigningKeySetting, curve));
  if (signingKey.address === nextSigningKey?.address) {
    throw new InvalidInputError(
      `The next signing key is the one that signs already (${signingKey.address}); set ${nextSigningKeySetting} to another one, or to nothing.`,
    );
  }
  const isBuiltIn: Record<string, boolean> = {
    [signingKeySetting]: isWellKnownAddress(signingKey.address),
    ...(nextSigningKey && {
      [nextSigningKeySetting]: isWellKnownAddress(nextSigningKey.address),
    }),
    IDENTITY_MASTER_SECRET: masterSecret.toLowerCase() === development.masterSecret,
  };
  const builtIn = Object.keys(isBuiltIn).filter((name) => isBuiltIn[name]);
  const names = builtIn.join(" and ");
  if (builtIn.length > 0 && builtIn.length < Object.keys(isBuiltIn).length) {
    throw new InvalidInputError(
      `${names} ${builtIn.length === 1 ? "is missing, or is a development secret" : "are missing, or are development secrets"}. The development secrets are public, so the service does not combine them with your own; set ${names}.`,
    );
  }
  if (builtIn.length > 0 && !(await askWhetherLocal(chain, builtIn))) {
    throw new InvalidInputError(
      `Without ${names} of your own, the service uses development secrets. They are public, and the node (IDENTITY_RPC_URL) is not a local development node; set ${names}.`,
    );
  }
  return { masterSecret, signingKey, nextSigningKey, development: builtIn.length > 0 };
}

const [signingKeySetting, nextSigningKeySetting] = [
  "IDENTITY_SIGNING_KEY",
  "IDENTITY_NEXT_SIGNING_KEY",
] as const;

const developmentKey: KeyLocation = { kind: "private-key", privateKey: development.signingKey };

async function askWhetherLocal(chain: Chain, builtIn: readonly string[]): Promise<boolean> {
  try {
    return await isLocalNode(chain.open());
  } catch (error) {
    if (!(error instanceof ChainUnavailableError)) throw error;
    throw new InvalidInputError(
      `Without ${builtIn.join(" and ")} of your own, the service uses development secrets, and only for a local development node. It cannot ask the node (IDENTITY_RPC_URL) whether it is one: ${withRemedy(error.message, error.kind)} Fix that, or set ${builtIn.join(" and ")}.`,
    );
  }
}
