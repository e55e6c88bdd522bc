// `@hardhat-identity/pkcs11`: signs with a key on a token (HSM, smart card) through its PKCS#11 library. The service opens
// the keys that PKCS#11 URIs name with `openKey`; other code opens a key with `openTokenKey`.
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { within } from "@hardhat-identity/protocol/within";
import { type Calls, callsTo } from "./internal/calls.ts";
import type { Pkcs11Offer } from "./internal/thread.ts";
import { parseUri } from "./internal/uri.ts";
import type { TokenKey, TokenKeyPlace } from "./key.ts";

export type { TokenKey, TokenKeyPlace };

/** Milliseconds for a token's signature. */
const signLimitMs = 4_500;

/** Milliseconds for a library's start. */
const openLimitMs = 30_000;

/**
 * Opens a key on the curve secp256k1. The PIN is tried once.
 *
 * @param module The path of the PKCS#11 library. It runs in a thread of its own, because it blocks while it works.
 * @throws an error whose name is `InvalidInputError` when the library, the token, the PIN or the key is not as described.
 */
export async function openTokenKey(module: string, place: TokenKeyPlace): Promise<TokenKey> {
  const thread = threadOf(module);
  const { number, publicKey } = await thread.ask(openLimitMs, (offer) => offer.call("open", place));
  return {
    publicKey,
    sign: (digest) => thread.ask(signLimitMs, (offer) => offer.call("sign", number, digest)),
    check: () => thread.ask(signLimitMs, (offer) => offer.call("check", number)),
  };
}

/** The PINs with which this process has logged in, by library and token. */
const pins = new Map<string, string>();

/**
 * Opens the key that a PKCS#11 URI (RFC 7512) names, as the service's key source.
 *
 * @param readPin Reads the PIN from the file that the URI names.
 * @param checkLibrary Throws if the library of that path must not be loaded. A mere name, which the system looks up in its
 * own folders, is not passed.
 * @throws as {@link openTokenKey} does, when the URI is not valid, or when another key on the token was opened with another
 * PIN: a process logs in to a token once, so this one would be tried only after the other key is gone.
 */
export async function openKey(
  uri: string,
  readPin: (file: string) => string,
  checkLibrary: (file: string) => void = () => undefined,
) {
  const { module, place, pin: given } = parseUri(uri);
  if (module.includes("/")) checkLibrary(module);
  const pin = "value" in given ? given.value : readPin(given.file);
  const token = JSON.stringify(place.token);
  const known = pins.get(`${module} ${token}`);
  if (known !== undefined && known !== pin) {
    throw new InvalidInputError(
      `Another key on the token ${token} has a different PIN here; a token has only one PIN.`,
    );
  }
  const key = await openTokenKey(module, { ...place, pin });
  pins.set(`${module} ${token}`, pin);
  const naming = (error: Error) => {
    throw new Error(`${error.message} (token ${token})`);
  };
  return {
    publicKey: key.publicKey,
    sign: (digest: string) => key.sign(Buffer.from(digest.slice(2), "hex")).catch(naming),
    check: () => key.check().catch(naming),
  };
}

interface Thread {
  /** @param limit Milliseconds that the answer may take. */
  ask<T>(limit: number, call: (offer: Calls<Pkcs11Offer>) => Promise<T>): Promise<T>;
}

/** One thread for each library: a process can load a library only once. */
const threads = new Map<string, Thread>();

function threadOf(module: string): Thread {
  const thread = threads.get(module) ?? startThread(module);
  threads.set(module, thread);
  return thread;
}

/** Has the same extension as this file, which is compiled to JavaScript for the package. */
const threadFile = join(import.meta.dirname, "internal", `thread${extname(import.meta.filename)}`);

function startThread(module: string): Thread {
  const worker = new Worker(threadFile, { workerData: module });
  const offer = callsTo<Pkcs11Offer>(worker);
  let ended: Error | undefined;
  const end = () => {
    ended = new Error("The thread of the PKCS#11 library ended; restart the service.");
    offer.end(ended);
  };
  worker.once("error", end);
  worker.once("exit", end);
  let asked = 0;
  /** Whether the library missed a time limit. Until it answers, further calls fail at once. */
  let isSilent = false;
  worker.on("message", () => {
    isSilent = false;
  });
  // The worker must keep the process alive only during a call. Listening to it has made it do so all the time.
  worker.unref();

  async function answerOf<T>(limit: number, call: () => Promise<T>): Promise<T> {
    const silence = () => new Error("The PKCS#11 library does not answer.");
    if (ended !== undefined || isSilent) throw ended ?? silence();
    return await within(limit, call(), () => {
      isSilent = true;
      return silence();
    });
  }

  return {
    async ask(limit, call) {
      if (asked++ === 0) worker.ref();
      return await answerOf(limit, () => call(offer)).finally(() => {
        if (--asked === 0) worker.unref();
      });
    },
  };
}
