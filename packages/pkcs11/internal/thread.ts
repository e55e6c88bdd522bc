// The thread of a PKCS#11 library. Opening a token and preparing a signature block the thread until the library
// answers.
import { parentPort, workerData } from "node:worker_threads";
import type { TokenKey, TokenKeyPlace } from "../key.ts";
import { answerCalls } from "./calls.ts";
import { type Library, openLibrary } from "./library.ts";
import { openTokenKey } from "./tokenKey.ts";

/** The functions of the thread. They fail with an InvalidInputError if the configuration is wrong. */
export type Pkcs11Offer = {
  /** @returns The key's number, which identifies it in other calls, and its public key. */
  open(place: TokenKeyPlace): Promise<{ number: number; publicKey: Uint8Array }>;
  /** @returns 64 bytes, r and s. */
  sign(number: number, digest: Uint8Array): Promise<Uint8Array>;
  check(number: number): Promise<void>;
};

let library: Library | undefined;
const keys: TokenKey[] = [];

function keyOf(number: number): TokenKey {
  const key = keys[number];
  if (key === undefined) throw new Error("No such key was opened.");
  return key;
}

const offer: Pkcs11Offer = {
  async open(place) {
    library ??= openLibrary(workerData);
    const key = await openTokenKey(library, place);
    return { number: keys.push(key) - 1, publicKey: key.publicKey };
  },
  sign: async (number, digest) => await keyOf(number).sign(digest),
  check: async (number) => await keyOf(number).check(),
};

const port = parentPort;
if (port === null) throw new Error("This is a thread of the service.");
answerCalls(port, offer);
