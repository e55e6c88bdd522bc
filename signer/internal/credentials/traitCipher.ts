import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Traits } from "../../../protocol/traits.ts";

const algorithm = "aes-256-gcm";
const format = "v1";

/** What the traits are bound to: moved to another row, or beside another value, they cannot be decrypted. */
export interface TraitsRow {
  readonly wallet: string;
  readonly provider: string;
  readonly pseudonym: string;
  readonly authenticatedAt: number;
}

/** Encrypts traits with AES-256-GCM for one row. */
export function encryptTraits(key: Uint8Array, row: TraitsRow, traits: Traits): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(additionalData(row));
  const text = Buffer.concat([cipher.update(JSON.stringify(traits), "utf8"), cipher.final()]);
  return [format, nonce, text, cipher.getAuthTag()].map(encode).join(".");
}

/** Decrypts what {@link encryptTraits} made. Throws when anything of the row was changed. */
export function decryptTraits(key: Uint8Array, row: TraitsRow, encrypted: string): Traits {
  const [version, nonce = "", text = "", tag = ""] = encrypted.split(".");
  if (version !== format) throw new Error("The stored traits have an unknown format.");
  const decipher = createDecipheriv(algorithm, key, decode(nonce), { authTagLength: 16 })
    .setAAD(additionalData(row))
    .setAuthTag(decode(tag));
  return JSON.parse(Buffer.concat([decipher.update(decode(text)), decipher.final()]).toString("utf8"));
}

function additionalData({ wallet, provider, pseudonym, authenticatedAt }: TraitsRow): Buffer {
  return Buffer.from(JSON.stringify([format, wallet, provider, pseudonym, authenticatedAt]));
}

const encode = (part: string | Buffer) => (typeof part === "string" ? part : part.toString("base64url"));
const decode = (part: string) => Buffer.from(part, "base64url");
