import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { TokenKeyPlace } from "../key.ts";

/** The parts of a PKCS#11 URI. */
export interface NamedKey {
  /** The library's path. */
  readonly module: string;
  readonly place: Omit<TokenKeyPlace, "pin">;
  /** The PIN of the token's user, or the file that contains it. */
  readonly pin: { readonly value: string } | { readonly file: string };
}

/** The supported attributes of RFC 7512 (section 2.3), by the part of the URI that contains them. */
const attributes = { path: ["token", "object", "id"], query: ["module-path", "pin-source", "pin-value"] };

/**
 * Parses a PKCS#11 URI (RFC 7512).
 *
 * @throws InvalidInputError that shows no part of the URI, which may have the PIN.
 */
export function parseUri(uri: string): NamedKey {
  const [path = "", query = ""] = uri.replace(/^pkcs11:/, "").split(/\?(.*)/s);
  const given = new Map<string, string>();
  for (const [part, separator, known] of [
    [path, ";", attributes.path],
    [query, "&", attributes.query],
  ] as const) {
    for (const attribute of part.split(separator).filter((each) => each !== "")) {
      const [name = "", value = ""] = attribute.split(/=(.*)/s);
      if (!known.includes(name) || given.has(name)) throw refuse("an attribute is unknown or given twice");
      const decoded = decode(value, name === "id" ? "hex" : "utf8");
      if (!decoded) throw refuse(`${name} has no value that can be read`);
      given.set(name, decoded);
    }
  }
  const [token, label, id, module] = ["token", "object", "id", "module-path"].map((name) => given.get(name));
  const [source, value] = [given.get("pin-source"), given.get("pin-value")];
  if (token === undefined) throw refuse("token is missing");
  if (Buffer.byteLength(token) > 32) throw refuse("token has more than 32 bytes");
  if ((label === undefined) === (id === undefined)) throw refuse("one of object and id must be there");
  if (module === undefined) throw refuse("module-path is missing");
  if ((source === undefined) === (value === undefined)) {
    throw refuse("one of pin-source and pin-value must be there");
  }
  if (source !== undefined && !source.startsWith("file:")) throw refuse("pin-source must be file:<path>");
  return {
    module,
    place: { token, object: id === undefined ? { label: label ?? "" } : { id } },
    pin: source === undefined ? { value: value ?? "" } : { file: source.replace(/^file:(\/\/)?/, "") },
  };
}

const refuse = (problem: string) =>
  new InvalidInputError(
    `The key must be a PKCS#11 URI such as pkcs11:token=identity;object=signer?module-path=/usr/lib/library.so&pin-source=file:/run/pin (${problem}).`,
  );

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
