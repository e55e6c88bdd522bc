/** A key that a PKCS#11 library signs with and does not reveal. */
export interface Pkcs11Key {
  readonly kind: "pkcs11";
  /** The library's path. */
  readonly module: string;
  /** The token's label. */
  readonly token: string;
  /** The key's label, or its id in hex digits. */
  readonly object: { readonly label: string } | { readonly id: string };
  /** The PIN of the token's user, or the file that contains it. */
  readonly pin: { readonly value: string } | { readonly file: string };
}

/** The location of a signing key. */
export type KeyLocation =
  | { readonly kind: "private-key"; readonly privateKey: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | { readonly kind: "module"; readonly file: string }
  | Pkcs11Key;

export const isPrivateKey = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text);

/**
 * Parses the location of a signing key: a private key (0x and 64 hex digits), `keystore:<file>?password-file=<file>`,
 * `module:<file>`, or a PKCS#11 URI (RFC 7512).
 *
 * @returns The location, or a text that describes what is expected, without any part of a secret.
 */
export function parseKeyLocation(text: string): KeyLocation | string {
  if (isPrivateKey(text)) return { kind: "private-key", privateKey: text };
  if (text.startsWith("keystore:")) return parseKeystore(text.slice("keystore:".length));
  if (text.startsWith("pkcs11:")) return parsePkcs11(text.slice("pkcs11:".length));
  if (text.startsWith("module:")) return parseModule(text.slice("module:".length));
  return "a private key (0x and 64 hex digits), keystore:<file>?password-file=<file>, module:<file>, or a PKCS#11 URI (RFC 7512)";
}

function parseKeystore(text: string): KeyLocation | string {
  const [, file, passwordFile] = /^(.+)\?password-file=(.+)$/.exec(text) ?? [];
  if (file === undefined || passwordFile === undefined) return "keystore:<file>?password-file=<file>";
  return { kind: "keystore", file, passwordFile };
}

const parseModule = (file: string): KeyLocation | string =>
  file === "" ? "module:<file>, such as module:./kms.js" : { kind: "module", file };

/** The supported attributes of RFC 7512 (section 2.3), by the part of the URI that contains them. */
const attributes = { path: ["token", "object", "id"], query: ["module-path", "pin-source", "pin-value"] };

function parsePkcs11(text: string): KeyLocation | string {
  const [path = "", query = ""] = text.split(/\?(.*)/s);
  const given = new Map<string, string>();
  for (const [part, separator, known] of [
    [path, ";", attributes.path],
    [query, "&", attributes.query],
  ] as const) {
    for (const attribute of part.split(separator).filter((each) => each !== "")) {
      const [name = "", value = ""] = attribute.split(/=(.*)/s);
      if (!known.includes(name) || given.has(name))
        return pkcs11Wanted(`an attribute is unknown or given twice`);
      const decoded = decode(value, name === "id" ? "hex" : "utf8");
      if (!decoded) return pkcs11Wanted(`${name} has no value that can be read`);
      given.set(name, decoded);
    }
  }
  const [token, label, id, module] = ["token", "object", "id", "module-path"].map((name) => given.get(name));
  const [source, value] = [given.get("pin-source"), given.get("pin-value")];
  if (token === undefined) return pkcs11Wanted("token is missing");
  if (Buffer.byteLength(token) > 32) return pkcs11Wanted("token has more than 32 bytes");
  if ((label === undefined) === (id === undefined)) return pkcs11Wanted("one of object and id must be there");
  if (module === undefined) return pkcs11Wanted("module-path is missing");
  if ((source === undefined) === (value === undefined)) {
    return pkcs11Wanted("one of pin-source and pin-value must be there");
  }
  if (source !== undefined && !source.startsWith("file:"))
    return pkcs11Wanted("pin-source must be file:<path>");
  return {
    kind: "pkcs11",
    module,
    token,
    object: id === undefined ? { label: label ?? "" } : { id },
    pin: source === undefined ? { value: value ?? "" } : { file: source.replace(/^file:(\/\/)?/, "") },
  };
}

const pkcs11Wanted = (problem: string) =>
  `a PKCS#11 URI such as pkcs11:token=identity;object=signer?module-path=/usr/lib/library.so&pin-source=file:/run/pin (${problem})`;

/** Decodes a percent-encoded text; `undefined` if it is not valid. */
function decode(text: string, encoding: "utf8" | "hex"): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes = Buffer.from(
    text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  const isPlain = !/[^\x21-\x7e]/.test(text);
  return isPlain ? bytes.toString(encoding) : undefined;
}

/** The kind of a key's location, for the log. */
export const kindOfKey = (location: KeyLocation | undefined): string => location?.kind ?? "development";
