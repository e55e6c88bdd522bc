import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import type { StoreIdentity } from "./properties.ts";

const algorithm = "aes-256-gcm";
const authTag = { authTagLength: 16 };
/** Plaintexts are padded to a multiple of this many bytes, so that lengths reveal little. */
const block = 256;

export type Seal = ReturnType<typeof createSeal>;

/**
 * Creates a seal with AES-256-GCM: it encrypts values as texts, each for one place. A text that is altered, or is at
 * another place or in another store, cannot be opened.
 *
 * @param key 32 bytes.
 * @param format The prefix of every text, which identifies the format of the rest.
 */
export function createSeal(
  key: Uint8Array,
  format: string,
  { id, chainId }: Pick<StoreIdentity, "id" | "chainId">,
) {
  const secretKey = createSecretKey(key);
  const additionalData = (place: readonly unknown[]) =>
    Buffer.from(JSON.stringify([format, id, chainId, ...place]));
  return {
    close(place: readonly unknown[], value: unknown): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv(algorithm, secretKey, nonce).setAAD(additionalData(place));
      const text = cipher.update(pad(JSON.stringify(value)));
      // Adds no bytes, here and below: GCM is a stream mode.
      cipher.final();
      return [format, ...[nonce, text, cipher.getAuthTag()].map(encode)].join(".");
    },
    /**
     * Decrypts a text. Throws if `close` did not write exactly this text, for this place and store with this key.
     *
     * @param part Returns `undefined` for a value whose JSON does not contain it, in a part of the time.
     */
    open(place: readonly unknown[], sealed: string, part = ""): unknown {
      const [prefix, ...texts] = sealed.split(".");
      const decoded = texts.map(decode);
      const [nonce = none, text = none, tag = none] = decoded;
      // Many texts decode to the same bytes.
      const isExact = decoded.length === 3 && decoded.every((bytes, i) => encode(bytes) === texts[i]);
      if (prefix !== format || !isExact) throw new Error("The sealed text has an unknown format.");
      const decipher = createDecipheriv(algorithm, secretKey, nonce, authTag)
        .setAAD(additionalData(place))
        .setAuthTag(tag);
      const opened = decipher.update(text);
      // Throws if the text is not authentic.
      decipher.final();
      return opened.includes(part) ? JSON.parse(opened.toString("utf8")) : undefined;
    },
  };
}

/** Pads with spaces, which JSON allows at its end. */
function pad(json: string): Buffer {
  const missing = (block - (Buffer.byteLength(json) % block)) % block;
  return Buffer.from(json + " ".repeat(missing));
}

const none = Buffer.alloc(0);
const decode = (part: string) => Buffer.from(part, "base64url");
const encode = (bytes: Buffer) => bytes.toString("base64url");
