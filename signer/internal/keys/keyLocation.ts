import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/** The location of a signing key. */
export type KeyLocation =
  | { readonly kind: "private-key"; readonly privateKey: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "pkcs11"; readonly uri: string };

export const isPrivateKey = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text);

/**
 * Parses the location of a signing key: a private key (0x and 64 hex digits), `keystore:<file>?password-file=<file>`,
 * `module:<file>`, or a PKCS#11 URI (RFC 7512).
 *
 * @throws InvalidInputError that describes what is expected, without any part of a secret.
 */
export function parseKeyLocation(text: string): KeyLocation {
  if (isPrivateKey(text)) return { kind: "private-key", privateKey: text };
  if (text.startsWith("keystore:")) return parseKeystore(text.slice("keystore:".length));
  if (text.startsWith("pkcs11:")) return { kind: "pkcs11", uri: text };
  if (text.startsWith("module:")) return parseModule(text.slice("module:".length));
  throw new InvalidInputError(
    "a private key (0x and 64 hex digits), keystore:<file>?password-file=<file>, module:<file>, or a PKCS#11 URI (RFC 7512)",
  );
}

function parseKeystore(text: string): KeyLocation {
  const [, file, passwordFile] = /^(.+)\?password-file=(.+)$/.exec(text) ?? [];
  if (file === undefined || passwordFile === undefined) {
    throw new InvalidInputError("keystore:<file>?password-file=<file>");
  }
  return { kind: "keystore", file, passwordFile };
}

function parseModule(file: string): KeyLocation {
  if (file === "") throw new InvalidInputError("module:<file>, such as module:./kms.js");
  return { kind: "module", file };
}

/** The kind of a key's location, for the log. */
export const kindOfKey = (location: KeyLocation | undefined): string => location?.kind ?? "development";
