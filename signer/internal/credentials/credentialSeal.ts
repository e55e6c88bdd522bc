import { getBytes } from "ethers";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { createSeal, type Seal } from "../database/seal.ts";

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
  /** Of all keys that it opens with. */
  readonly keyIds: readonly string[];
  /** Which key a text was sealed with. */
  keyIdOf(sealed: string): string;
}

/** What a row is sealed with begins with this, which names its key. */
const formatOf = (id: string) => `v1-${id}`;

/** What credentials are sealed with in their rows. */
export function credentialSeal(secrets: StoreSecrets): CredentialSeal {
  const { masterSecret, encryptionSecret = masterSecret, otherEncryptionSecret = masterSecret } = secrets;
  const seals = new Map(
    [encryptionSecret, masterSecret, otherEncryptionSecret].map((secret) => {
      const key = deriveKey(getBytes(secret), "credential");
      return [keyId(key), createSeal(key, formatOf(keyId(key)))];
    }),
  );
  const [first] = seals;
  if (first === undefined) throw new Error("There is no key.");
  const [currentId, current] = first;
  const keyIdOf = (text: string) => text.slice(formatOf("").length, text.indexOf("."));
  return {
    keyId: currentId,
    keyIds: [...seals.keys()],
    keyIdOf,
    close: current.close,
    open(place, text) {
      const seal = seals.get(keyIdOf(text));
      if (seal === undefined) throw new Error("What is stored was encrypted with a key that is not there.");
      return seal.open(place, text);
    },
  };
}
