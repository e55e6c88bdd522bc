import { getBytes } from "ethers";
import { deriveKey, keyId } from "../../../protocol/keys.ts";
import { createSeal, type Seal } from "../database/seal.ts";

/** The secrets of a store; each 32 bytes hex. */
export interface StoreSecrets {
  /** Derives pseudonyms. Also encrypts rows, unless there is an encryption secret. */
  readonly masterSecret: string;
  /** Encrypts rows in place of the master secret. */
  readonly encryptionSecret?: string | undefined;
  /** A further secret that only decrypts rows: the former encryption secret or the next one. */
  readonly otherEncryptionSecret?: string | undefined;
}

/** Encrypts with one key of a store and decrypts with all of them. */
export interface CredentialSeal extends Seal {
  /** The id of the key that it encrypts with. */
  readonly keyId: string;
  /** The ids of all keys that it decrypts with. */
  readonly keyIds: readonly string[];
  /** Returns the id of the key that a text was encrypted with. */
  keyIdOf(sealed: string): string;
}

/** The prefix of an encrypted row, which names its key. */
const formatOf = (id: string) => `v1-${id}`;

/** Creates the seal of the rows of credentials. */
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
      if (seal === undefined) throw new Error("The row was encrypted with a key that is missing.");
      return seal.open(place, text);
    },
  };
}
