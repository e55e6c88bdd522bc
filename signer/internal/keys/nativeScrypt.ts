import { scrypt as deriveByOpenSsl } from "node:crypto";
import { promisify } from "node:util";
import { scrypt } from "ethers";

const deriveKey = promisify<Uint8Array, Uint8Array, number, object, Uint8Array>(deriveByOpenSsl);

/** The most memory that a keystore may ask for, in bytes. One of geth's needs 256 MB. */
const maxmem = 2 ** 30;

/**
 * Makes ethers derive the keys of keystores by `node:crypto`. It works outside the event loop and gives its memory back,
 * unlike ethers' own code in JavaScript.
 */
export function useNativeScrypt(): void {
  scrypt.register(async (password, salt, N, r, p, length) => {
    // OpenSSL reports this as a lack of memory. Keystores of Python's eth-account can have it.
    if (N >= 2 ** (16 * r)) throw new Error(`RFC 7914 does not allow scrypt with n = ${N} and r = ${r}`);
    return deriveKey(password, salt, length, { N, r, p, maxmem });
  });
}
