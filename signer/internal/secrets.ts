import { type Chain, ChainUnavailableError } from "../../chain/connect.ts";
import { isLocalNode } from "../../chain/localNode.ts";
import { development, isWellKnownAddress } from "../../protocol/development.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { Curve } from "./curve/curve.ts";
import type { SigningKeyConfig } from "./keys/config.ts";
import { keystoreSource } from "./keys/keystore.ts";
import { pkcs11Source } from "./keys/pkcs11.ts";
import { privateKeySource } from "./keys/privateKey.ts";
import type { KeySource } from "./keys/source.ts";

/** What the service must keep to itself. */
export interface Secrets {
  /** 32 bytes hex. */
  readonly masterSecret: string;
  readonly signingKey: KeySource;
  /** Whether everybody knows them, so that only a local node may be served; see watchLocalPrivileges. */
  readonly development: boolean;
}

/**
 * The configured secrets; the development ones stand in when they are missing, on a local node only.
 *
 * @throws InvalidInputError when a development secret would be used on a chain that is not a local node, or next to one
 * of one's own: that a node says that it is local must not decide whose accounts everybody can guess.
 */
export async function resolveSecrets(
  config: { readonly masterSecret: string | undefined; readonly signingKey: SigningKeyConfig | undefined },
  chain: Chain,
  curve: Curve,
): Promise<Secrets> {
  const masterSecret = config.masterSecret ?? development.masterSecret;
  const signingKey = await openKeySource(config.signingKey, curve);
  const builtIn = [
    ...(isWellKnownAddress(signingKey.address) ? ["IDENTITY_SIGNING_KEY or IDENTITY_KEYSTORE_FILE"] : []),
    ...(masterSecret.toLowerCase() === development.masterSecret ? ["IDENTITY_MASTER_SECRET"] : []),
  ];
  if (builtIn.length === 1) {
    throw new InvalidInputError(
      `Next to one of your own there is a secret that everybody knows, which is refused whatever the node is; set ${builtIn.join()}.`,
    );
  }
  if (builtIn.length > 0 && !(await askWhetherLocal(chain, builtIn))) {
    throw new InvalidInputError(
      `The node (IDENTITY_RPC_URL) is not a local development node, so development secrets, which everybody knows, are refused; set ${builtIn.join(" and ")}.`,
    );
  }
  return { masterSecret, signingKey, development: builtIn.length > 0 };
}

async function openKeySource(config: SigningKeyConfig | undefined, curve: Curve): Promise<KeySource> {
  if (config?.kind === "keystore") return keystoreSource(config, curve);
  if (config?.kind === "pkcs11") return pkcs11Source(config, curve);
  return privateKeySource(config?.privateKey ?? development.signingKey, curve);
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
