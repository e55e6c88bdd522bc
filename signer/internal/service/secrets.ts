import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import { isLocalNode } from "../../../chain/localNode.ts";
import { development, isWellKnownAddress } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { SignerConfig } from "../config/config.ts";
import type { Curve } from "../curve/curve.ts";
import { type KeyPrefix, nameKeyVariables, type SigningKeyConfig } from "../keys/config.ts";
import type { KeySource } from "../keys/keySource.ts";
import { keystoreSource } from "../keys/keystore.ts";
import { pkcs11Source } from "../keys/pkcs11.ts";
import { privateKeySource } from "../keys/privateKey.ts";

/** What the service must keep to itself. */
export interface Secrets {
  /** 32 bytes hex. */
  readonly masterSecret: string;
  readonly signingKey: KeySource;
  /** The one that follows it, where there is one. */
  readonly nextSigningKey: KeySource | undefined;
  /** Whether everybody knows them, so that only a local node may be served; see watchLocalPrivileges. */
  readonly development: boolean;
}

/**
 * The configured secrets; the development ones stand in when they are missing, on a local node only.
 *
 * @throws InvalidInputError when a development secret would be used on a chain that is not a local node, or next to one
 * of one's own: that a node says that it is local must not decide whose accounts everybody can guess. And when the next
 * signing key is the one that it is to follow.
 */
export async function resolveSecrets(
  config: Pick<SignerConfig, "masterSecret" | "signingKey" | "nextSigningKey">,
  chain: Chain,
  curve: Curve,
): Promise<Secrets> {
  const masterSecret = config.masterSecret ?? development.masterSecret;
  const signingKey = await openKeySource(config.signingKey ?? developmentKey, "IDENTITY_", curve);
  const nextSigningKey =
    config.nextSigningKey && (await openKeySource(config.nextSigningKey, "IDENTITY_NEXT_", curve));
  if (signingKey.address === nextSigningKey?.address) {
    throw new InvalidInputError(
      `The next signing key is the one that signs already (${signingKey.address}); set ${nameKeyVariables("IDENTITY_NEXT_")} to another one, or to nothing.`,
    );
  }
  const isBuiltIn: Record<string, boolean> = {
    [nameKeyVariables("IDENTITY_")]: isWellKnownAddress(signingKey.address),
    ...(nextSigningKey && {
      [nameKeyVariables("IDENTITY_NEXT_")]: isWellKnownAddress(nextSigningKey.address),
    }),
    IDENTITY_MASTER_SECRET: masterSecret.toLowerCase() === development.masterSecret,
  };
  const builtIn = Object.keys(isBuiltIn).filter((name) => isBuiltIn[name]);
  if (builtIn.length > 0 && builtIn.length < Object.keys(isBuiltIn).length) {
    throw new InvalidInputError(
      `Next to one of your own there is a secret that everybody knows, which is refused whatever the node is; set ${builtIn.join(" and ")}.`,
    );
  }
  if (builtIn.length > 0 && !(await askWhetherLocal(chain, builtIn))) {
    throw new InvalidInputError(
      `The node (IDENTITY_RPC_URL) is not a local development node, so development secrets, which everybody knows, are refused; set ${builtIn.join(" and ")}.`,
    );
  }
  return { masterSecret, signingKey, nextSigningKey, development: builtIn.length > 0 };
}

const developmentKey: SigningKeyConfig = { kind: "private-key", privateKey: development.signingKey };

/** @param prefix That of the variables that say where the key comes from, for what is said when it cannot be had. */
async function openKeySource(config: SigningKeyConfig, prefix: KeyPrefix, curve: Curve): Promise<KeySource> {
  switch (config.kind) {
    case "keystore":
      return keystoreSource(config, curve, prefix);
    case "pkcs11":
      return pkcs11Source(config, curve, prefix);
    case "private-key":
      return privateKeySource(config.privateKey, curve, `${prefix}SIGNING_KEY`);
  }
}

async function askWhetherLocal(chain: Chain, builtIn: readonly string[]): Promise<boolean> {
  try {
    return await isLocalNode(chain.open());
  } catch (error) {
    if (!(error instanceof ChainUnavailableError)) throw error;
    throw new InvalidInputError(
      `Development secrets are used with a local node only, and the node (IDENTITY_RPC_URL) cannot be asked: ${error.message} Mend that, or set ${builtIn.join(" and ")}.`,
    );
  }
}
