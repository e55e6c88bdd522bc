import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Handle, PKCS11, Template } from "pkcs11js";
import type { TokenKeyPlace } from "../key.ts";
import type { Library } from "./library.ts";

type Names = Library["names"];
type Place = { readonly pkcs11: PKCS11; readonly names: Names; readonly session: Handle };

/** The DER encoding of secp256k1's object identifier, 1.3.132.0.10. */
const secp256k1 = "06052b8104000a";

/**
 * Finds the slot of the token with a label.
 *
 * @throws InvalidInputError when there is no such token, or more than one.
 */
export function findSlot(pkcs11: PKCS11, label: string): Handle {
  const tokens = pkcs11
    .C_GetSlotList(true)
    .map((slot) => ({ slot, label: readLabel(pkcs11, slot) }))
    .filter((token) => token.label !== "");
  const [found, other] = tokens.filter((token) => token.label === label);
  if (found === undefined) {
    const labels = tokens.map((token) => JSON.stringify(token.label)).join(", ") || "none";
    throw new InvalidInputError(
      `The PKCS#11 library has no token ${JSON.stringify(label)} (token); it has ${labels}.`,
    );
  }
  if (other === undefined) return found.slot;
  throw new InvalidInputError(
    `The PKCS#11 library has several tokens ${JSON.stringify(label)} (token); rename one of them.`,
  );
}

function readLabel(pkcs11: PKCS11, slot: Handle): string {
  try {
    return pkcs11.C_GetTokenInfo(slot).label.replace(/[\0 ]+$/, "");
  } catch {
    // The slot of another token, which was just removed.
    return "";
  }
}

/**
 * Finds the configured private key, and its public key as the token stores it.
 *
 * @throws InvalidInputError when there is not exactly one such key, or it is not on secp256k1 or has no public key.
 */
export function findKey(
  place: Place,
  { object, token }: TokenKeyPlace,
): { handle: Handle; publicKey: Uint8Array } {
  const { names } = place;
  const named =
    "id" in object
      ? { type: names.CKA_ID, value: Buffer.from(object.id, "hex") }
      : { type: names.CKA_LABEL, value: object.label };
  const found = findObjects(place, [{ type: names.CKA_CLASS, value: names.CKO_PRIVATE_KEY }, named]);
  const [handle, ...others] = found;
  const shown = "id" in object ? `of id ${object.id}` : JSON.stringify(object.label);
  const where = `${shown} on the token ${JSON.stringify(token)}`;
  if (handle === undefined) throw new InvalidInputError(`There is no private key ${where}.`);
  if (others.length > 0) {
    const ids = found.map((each) => `${readBytes(place, each, names.CKA_ID)?.toString("hex") ?? ""}`);
    throw new InvalidInputError(
      `There are several private keys ${where}; name one by its id: ${ids.join(", ")}.`,
    );
  }
  if (readBytes(place, handle, names.CKA_EC_PARAMS)?.toString("hex") !== secp256k1) {
    throw new InvalidInputError(`The private key ${where} is not on the curve secp256k1.`);
  }
  const publicKey = readPublicKey(place, handle, named);
  if (publicKey !== undefined) return { handle, publicKey };
  throw new InvalidInputError(
    `There is no public key next to the private key ${where}, with the same id or label; the signer's address is derived from it.`,
  );
}

/** Reads the public key of the same id, or else of the same label, or else the point stored with the private key. */
function readPublicKey(place: Place, privateKey: Handle, named: Template[number]): Buffer | undefined {
  const { names } = place;
  const id = readBytes(place, privateKey, names.CKA_ID);
  const byId = id?.length ? [{ type: names.CKA_ID, value: id }] : [];
  for (const way of [...byId, named]) {
    const [found] = findObjects(place, [{ type: names.CKA_CLASS, value: names.CKO_PUBLIC_KEY }, way]);
    const point = found && readBytes(place, found, names.CKA_EC_POINT);
    if (point) return unwrapPoint(point);
  }
  const point = readBytes(place, privateKey, names.CKA_EC_POINT);
  return point && unwrapPoint(point);
}

/** The standard requires a point in a DER octet string (PKCS #11 2.40, 2.3.3). Some tokens return it bare. */
function unwrapPoint(value: Buffer): Buffer {
  const isWrapped = value[0] === 0x04 && value[1] === value.length - 2 && [35, 67].includes(value.length);
  return isWrapped ? value.subarray(2) : value;
}

function findObjects({ pkcs11, session }: Place, template: Template): Handle[] {
  pkcs11.C_FindObjectsInit(session, template);
  try {
    return pkcs11.C_FindObjects(session, 16);
  } finally {
    pkcs11.C_FindObjectsFinal(session);
  }
}

/** Reads an attribute; `undefined` if the object does not have or reveal it. */
function readBytes({ pkcs11, session, names }: Place, object: Handle, attribute: number): Buffer | undefined {
  try {
    const [read] = pkcs11.C_GetAttributeValue(session, object, [{ type: attribute }]);
    return Buffer.isBuffer(read?.value) ? read.value : undefined;
  } catch (error) {
    const code = error instanceof names.Pkcs11Error ? error.code : undefined;
    if (code === names.CKR_ATTRIBUTE_TYPE_INVALID || code === names.CKR_ATTRIBUTE_SENSITIVE) return undefined;
    throw error;
  }
}
