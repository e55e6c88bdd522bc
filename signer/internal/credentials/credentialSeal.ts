import { getBytes } from "ethers";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { createSeal, type Seal } from "./seal.ts";

/** What a store is opened with; each 32 bytes hex. */
export interface StoreSecrets {
  /** What pseudonyms come from; and what rows are encrypted with, unless there is a secret for that alone. */
  readonly masterSecret: string;
  /** What rows are encrypted with. */
  readonly encryptionSecret?: string | undefined;
  /** Another one with which rows may be encrypted: the former, or the next. It is only read with. */
  readonly otherEncryptionSecret?: string | undefined;
}

/** Seals with one key, and opens with all that a store is opened with. */
export interface CredentialSeal extends Seal {
  /** Of the key that it seals with. */
  readonly keyId: string;
  /** Whether that comes from the master secret. */
  readonly isOfMaster: boolean;
  /** Of all keys that it opens with. */
  readonly keyIds: readonly string[];
  has(id: string): boolean;
  /** Which key a text was sealed with. */
  keyIdOf(sealed: string): string;
  /** Whether it is sealed as {@link close} would do it now. */
  isCurrent(sealed: string): boolean;
}

/** What a row is sealed with that names no key. */
const formatOfMaster = "v2";

/** What a row is sealed with that names its key. */
const formatOf = (id: string) => `v3-${id}`;

const rowKey = (secret: Uint8Array) => deriveKey(secret, "credential");

/** What a credential is sealed with in its row, where there is nothing but a master secret. */
export const sealOfMaster = (masterSecret: Uint8Array): Seal =>
  createSeal(rowKey(masterSecret), formatOfMaster);

/**
 * What credentials are sealed with in their rows. Those of the master secret do not name their key, so that the release
 * before can read them; one that does is read as well.
 */
export function credentialSeal(secrets: StoreSecrets): CredentialSeal {
  const master = rowKey(getBytes(secrets.masterSecret));
  const own = secrets.encryptionSecret && rowKey(getBytes(secrets.encryptionSecret));
  const other = secrets.otherEncryptionSecret && rowKey(getBytes(secrets.otherEncryptionSecret));
  const keys = [master, own, other].filter((key) => key instanceof Uint8Array);
  const named = new Map(keys.map((key) => [keyId(key), key]));
  const seals = new Map([...named].map(([id, key]) => [formatOf(id), createSeal(key, formatOf(id))]));
  const sealed = sealOfMaster(getBytes(secrets.masterSecret));
  seals.set(formatOfMaster, sealed);

  const masterId = keyId(master);
  const currentId = own ? keyId(own) : masterId;
  const isOfMaster = currentId === masterId;
  const format = isOfMaster ? formatOfMaster : formatOf(currentId);
  const current = seals.get(format) ?? sealed;
  const formatIn = (text: string) => text.slice(0, text.indexOf("."));
  return {
    keyId: currentId,
    isOfMaster,
    keyIds: [...named.keys()],
    has: (id) => named.has(id),
    keyIdOf: (text) =>
      formatIn(text) === formatOfMaster ? masterId : formatIn(text).slice(formatOf("").length),
    isCurrent: (text) => formatIn(text) === format,
    close: current.close,
    open(place, text) {
      const seal = seals.get(formatIn(text));
      if (seal === undefined) throw new Error("What is stored was encrypted with a key that is not there.");
      return seal.open(place, text);
    },
  };
}
