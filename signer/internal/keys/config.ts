import { z } from "zod";
import { fileVariable } from "../files/secretFiles.ts";

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

/** Begins the variables of the key that signs, or of the next one. */
export type KeyPrefix = (typeof keyPrefixes)[number];
export const keyPrefixes = ["IDENTITY_", "IDENTITY_NEXT_"] as const;

/** What says where a signing key comes from, each under a {@link KeyPrefix}, in the order in which they are documented. */
const variables = z.object({
  SIGNING_KEY: bytes32.optional(),
  KEYSTORE_FILE: z.string().optional(),
  KEYSTORE_PASSWORD_FILE: z.string().optional(),
  PKCS11_MODULE: z.string().optional(),
  PKCS11_TOKEN: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= 32, "the label of a token (32 bytes at most)")
    .optional(),
  PKCS11_KEY: z
    .string()
    .refine(
      (text) => !text.startsWith("id:") || /^id:([0-9a-fA-F]{2})+$/.test(text),
      "the key's label, or id: and its id in hex digits, two for each byte",
    )
    .optional(),
  PKCS11_PIN: z.string().optional(),
});
type KeyVariables = z.infer<typeof variables>;
type KeyVariable = keyof KeyVariables & string;

/** The variables of each source: the first says that it is wanted, the others belong to it. */
const sources: readonly (readonly [KeyVariable, ...KeyVariable[]])[] = [
  ["SIGNING_KEY"],
  ["KEYSTORE_FILE", "KEYSTORE_PASSWORD_FILE"],
  ["PKCS11_MODULE", "PKCS11_TOKEN", "PKCS11_KEY", "PKCS11_PIN"],
];

type Prefixed<Prefix extends string> = {
  [Name in KeyVariable as `${Prefix}${Name}`]: (typeof variables.shape)[Name];
};

function underPrefix<Prefix extends KeyPrefix>(prefix: Prefix) {
  const named = Object.entries(variables.shape).map(([name, schema]) => [`${prefix}${name}`, schema]);
  return Object.fromEntries(named) as Prefixed<Prefix>;
}

/** The variables of both keys. */
export const signingKeyVariables = { ...underPrefix("IDENTITY_"), ...underPrefix("IDENTITY_NEXT_") };

/** Those of them whose values are secret. */
export const signingKeySecrets = keyPrefixes.flatMap((prefix) => [
  `${prefix}SIGNING_KEY`,
  `${prefix}PKCS11_PIN`,
]);

/** What to set for a signing key, of which one is enough. */
export const nameKeyVariables = (prefix: KeyPrefix): string =>
  `${prefix}SIGNING_KEY or ${prefix}KEYSTORE_FILE`;

/**
 * Says when it is not one source of a signing key that is given, or not all of it.
 *
 * @param env Where a secret may be given as a file, too: what is wrong with that is said elsewhere.
 */
export function describeKeySourceProblem(prefix: KeyPrefix, given: Given, env: Given): string | undefined {
  const isSet = (name: KeyVariable) =>
    given[prefix + name] !== undefined || Boolean(env[fileVariable(prefix + name)]);
  const wanted = sources.filter(([first]) => isSet(first)).map(([first]) => prefix + first);
  if (wanted.length > 1) {
    const all = wanted.length === 2 ? "both" : "all";
    return `- ${wanted.join(" and ")} are ${all} set; set one of them.`;
  }
  for (const [first, ...others] of sources) {
    const stray = others.find((name) => isSet(name) !== isSet(first));
    if (stray === undefined) continue;
    return isSet(first)
      ? `- ${prefix}${stray} is not set; ${prefix}${first} needs it.`
      : `- ${prefix}${first} is not set, but ${prefix}${stray} is.`;
  }
  return undefined;
}

/**
 * Says when two keys of one token are given with two PINs. A program is logged in to a token once: the second PIN would
 * not be tried before the first key is gone.
 */
export function describeTwoPins(given: Given): string | undefined {
  const [first, next] = keyPrefixes.map((prefix) => readSigningKey(prefix, given));
  if (first?.kind !== "pkcs11" || next?.kind !== "pkcs11") return undefined;
  const isOneToken = first.module === next.module && first.token === next.token;
  if (!isOneToken || first.pin === next.pin) return undefined;
  return `- IDENTITY_NEXT_PKCS11_PIN must be IDENTITY_PKCS11_PIN: both open the token ${JSON.stringify(first.token)}, which has one PIN.`;
}

/** The source that is given, of which {@link describeKeySourceProblem} has found nothing wrong. */
export function readSigningKey(prefix: KeyPrefix, given: Given): SigningKeyConfig | undefined {
  const value = (name: KeyVariable) => given[prefix + name];
  const privateKey = value("SIGNING_KEY");
  if (privateKey !== undefined) return { kind: "private-key", privateKey };
  const [file, passwordFile] = [value("KEYSTORE_FILE"), value("KEYSTORE_PASSWORD_FILE")];
  if (file !== undefined && passwordFile !== undefined) return { kind: "keystore", file, passwordFile };
  const [module, token, key, pin] = [
    value("PKCS11_MODULE"),
    value("PKCS11_TOKEN"),
    value("PKCS11_KEY"),
    value("PKCS11_PIN"),
  ];
  if (module === undefined || token === undefined || key === undefined || pin === undefined) return undefined;
  return { kind: "pkcs11", module, token, key, pin };
}

/** What a log tells of where the key comes from. */
export const kindOfKey = (config: SigningKeyConfig | undefined) => config?.kind ?? "development";
