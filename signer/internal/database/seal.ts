import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const authTag = { authTagLength: 16 };
/** Lengths of what is encrypted are rounded up to this many bytes, so that they tell little. */
const block = 256;

/** Encrypts values as texts, each for one place; at another, or changed, it cannot be opened. */
export interface Seal {
  close(place: readonly unknown[], value: unknown): string;
  /** Throws when the text was not sealed for this place, with this key. */
  open(place: readonly unknown[], sealed: string): unknown;
}

/**
 * Seals with AES-256-GCM.
 *
 * @param key 32 bytes.
 * @param format Starts every text, and says how the rest is to be read.
 */
export function createSeal(key: Uint8Array, format: string): Seal {
  const secretKey = createSecretKey(key);
  const additionalData = (place: readonly unknown[]) => Buffer.from(JSON.stringify([format, ...place]));
  return {
    close(place, value) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv(algorithm, secretKey, nonce).setAAD(additionalData(place));
      const text = Buffer.concat([cipher.update(pad(JSON.stringify(value))), cipher.final()]);
      return [format, ...[nonce, text, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open(place, sealed) {
      const [version, nonce = "", text = "", tag = ""] = sealed.split(".");
      if (version !== format) throw new Error("What is stored has an unknown format.");
      const decipher = createDecipheriv(algorithm, secretKey, decode(nonce), authTag)
        .setAAD(additionalData(place))
        .setAuthTag(decode(tag));
      const opened = decipher.update(decode(text));
      // Throws where what was opened is not what was sealed. It adds nothing: this cipher has no blocks.
      decipher.final();
      return JSON.parse(opened.toString("utf8"));
    },
  };
}

/** JSON may have spaces at its end. */
function pad(json: string): Buffer {
  const bytes = Buffer.from(json);
  return Buffer.concat([bytes, Buffer.alloc((block - (bytes.length % block)) % block, " ")]);
}

const decode = (part: string) => Buffer.from(part, "base64url");
