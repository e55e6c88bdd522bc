import { z } from "zod";
import { fileVariable } from "../secretFiles.ts";

/** A key that a PKCS#11 library signs with, and does not give away. */
export interface Pkcs11KeyConfig {
  readonly kind: "pkcs11";
  /** The library's path. */
  readonly module: string;
  /** The token's label. */
  readonly token: string;
  /** The key's label; or `id:` and its id, hex. */
  readonly key: string;
  readonly pin: string;
}

/** Where the signing key comes from. */
export type SigningKeyConfig =
  | { readonly kind: "private-key"; readonly privateKey: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | Pkcs11KeyConfig;

type Given = Readonly<Record<string, string | undefined>>;

export const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "0x and 64 hex digits (32 bytes)");

/** The variables of a signing key, in the order in which they are documented. */
export const signingKeyVariables = {
  IDENTITY_SIGNING_KEY: bytes32.optional(),
  IDENTITY_KEYSTORE_FILE: z.string().optional(),
  IDENTITY_KEYSTORE_PASSWORD_FILE: z.string().optional(),
  IDENTITY_PKCS11_MODULE: z.string().optional(),
  IDENTITY_PKCS11_TOKEN: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= 32, "the label of a token (32 bytes at most)")
    .optional(),
  IDENTITY_PKCS11_KEY: z
    .string()
    .refine(
      (text) => !text.startsWith("id:") || /^id:([0-9a-fA-F]{2})+$/.test(text),
      "the key's label, or id: and its id in hex digits, two for each byte",
    )
    .optional(),
  IDENTITY_PKCS11_PIN: z.string().optional(),
};

/** The variables of each source: the first says that it is wanted, the others belong to it. */
const sources: readonly (readonly [string, ...string[]])[] = [
  ["IDENTITY_SIGNING_KEY"],
  ["IDENTITY_KEYSTORE_FILE", "IDENTITY_KEYSTORE_PASSWORD_FILE"],
  ["IDENTITY_PKCS11_MODULE", "IDENTITY_PKCS11_TOKEN", "IDENTITY_PKCS11_KEY", "IDENTITY_PKCS11_PIN"],
];

/**
 * Says when it is not one source of a signing key that is given, or not all of it.
 *
 * @param env Where a secret may be given as a file, too: what is wrong with that is said elsewhere.
 */
export function describeKeySourceProblem(given: Given, env: Given): string | undefined {
  const isSet = (name: string) => given[name] !== undefined || Boolean(env[fileVariable(name)]);
  const wanted = sources.filter(([first]) => isSet(first)).map(([first]) => first);
  if (wanted.length > 1) {
    const all = wanted.length === 2 ? "both" : "all";
    return `- ${wanted.join(" and ")} are ${all} set; set one of them.`;
  }
  for (const [first, ...others] of sources) {
    const stray = others.find((name) => isSet(name) !== isSet(first));
    if (stray === undefined) continue;
    return isSet(first)
      ? `- ${stray} is not set; ${first} needs it.`
      : `- ${first} is not set, but ${stray} is.`;
  }
  return undefined;
}

/** The source that is given, of which {@link describeKeySourceProblem} has found nothing wrong. */
export function readSigningKey(given: Given): SigningKeyConfig | undefined {
  const privateKey = given.IDENTITY_SIGNING_KEY;
  if (privateKey !== undefined) return { kind: "private-key", privateKey };
  const { IDENTITY_KEYSTORE_FILE: file, IDENTITY_KEYSTORE_PASSWORD_FILE: passwordFile } = given;
  if (file !== undefined && passwordFile !== undefined) return { kind: "keystore", file, passwordFile };
  const {
    IDENTITY_PKCS11_MODULE: module,
    IDENTITY_PKCS11_TOKEN: token,
    IDENTITY_PKCS11_KEY: key,
    IDENTITY_PKCS11_PIN: pin,
  } = given;
  if (module === undefined || token === undefined || key === undefined || pin === undefined) return undefined;
  return { kind: "pkcs11", module, token, key, pin };
}

/** What a log tells of where the key comes from. */
export const kindOfKey = (config: SigningKeyConfig | undefined) => config?.kind ?? "development";
