import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { z } from "zod";

const deriveByScrypt = promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt);
const deriveByPbkdf2 = promisify(pbkdf2);

/** The most memory that a keystore may ask for, in bytes. One of geth's needs 256 MB. */
const maxmem = 2 ** 30;

/** Keys are read in any casing: ethers writes `Crypto`, geth `crypto`. */
const lowerKeys = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toLowerCase(), lowerKeys(each)]))
    : value;

const bytes = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{2})*$/)
  .transform((text) => Buffer.from(text.replace(/^0x/, ""), "hex"));
/** Some programs write numbers as text. */
const count = z.coerce.number().int().positive();
const scryptSettings = z.object({ salt: bytes, n: count, r: count, p: count, dklen: count });
const pbkdf2Settings = z.object({ salt: bytes, c: count, prf: z.string(), dklen: count });

const schema = z.object({
  version: z.coerce.number().pipe(z.literal(3)),
  crypto: z.object({
    cipher: z.string(),
    cipherparams: z.object({ iv: bytes }),
    ciphertext: bytes,
    mac: bytes,
    kdf: z.string(),
    kdfparams: z.unknown(),
  }),
  address: z.string().optional(),
});

/** An encrypted key, as {@link readKeystore} reads it. */
type Keystore = z.infer<typeof schema>;

/** Reads a keystore in the format of Web3 Secret Storage (version 3); `undefined` if it is none. */
export function readKeystore(json: string): Keystore | undefined {
  try {
    return schema.parse(lowerKeys(JSON.parse(json)));
  } catch {
    return undefined;
  }
}

/**
 * Decrypts a keystore, outside the event loop.
 *
 * @returns The private key; `undefined` if the password is wrong.
 * @throws Error with the reason, without a full stop, when the keystore cannot be opened.
 */
export async function decryptKeystore(
  { crypto }: Keystore,
  password: string,
): Promise<Uint8Array | undefined> {
  const { cipher, cipherparams, ciphertext, mac } = crypto;
  if (cipher !== "aes-128-ctr") throw new Error(`the cipher ${JSON.stringify(cipher)} is not supported`);
  // Some programs normalize a password, so that it opens the keystore on every keyboard; geth and cast do not.
  for (const text of new Set([password.normalize("NFKC"), password])) {
    const key = await deriveKey(crypto, Buffer.from(text));
    const expected = keccak_256(Buffer.concat([key.subarray(16, 32), ciphertext]));
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) continue;
    const decipher = createDecipheriv("aes-128-ctr", key.subarray(0, 16), cipherparams.iv);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  }
  return undefined;
}

async function deriveKey({ kdf, kdfparams }: Keystore["crypto"], password: Uint8Array): Promise<Buffer> {
  switch (kdf.toLowerCase()) {
    case "scrypt": {
      const { salt, n, r, p, dklen } = readSettings(scryptSettings, kdfparams);
      requireLength(dklen);
      // OpenSSL reports this as a lack of memory. Keystores of Python's eth-account can have it.
      if (n >= 2 ** (16 * r)) throw new Error(`RFC 7914 does not allow scrypt with n = ${n} and r = ${r}`);
      return deriveByScrypt(password, salt, dklen, { N: n, r, p, maxmem });
    }
    case "pbkdf2": {
      const { salt, c, prf, dklen } = readSettings(pbkdf2Settings, kdfparams);
      requireLength(dklen);
      const algorithm = prf.split("-").pop() ?? "";
      if (algorithm !== "sha256" && algorithm !== "sha512") {
        throw new Error(`the pseudorandom function ${JSON.stringify(prf)} is not supported`);
      }
      return deriveByPbkdf2(password, salt, c, dklen, algorithm);
    }
    default:
      throw new Error(`the key derivation function ${JSON.stringify(kdf)} is not supported`);
  }
}

function readSettings<Settings>(settings: z.ZodType<Settings>, given: unknown): Settings {
  const { success, data } = settings.safeParse(given);
  if (!success) throw new Error("kdfparams does not fit its key derivation function");
  return data;
}

function requireLength(dklen: number): void {
  if (dklen !== 32) throw new Error(`dklen is ${dklen}, and only 32 is supported`);
}
