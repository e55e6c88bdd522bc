import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { computeAddress, getBytes, hexlify, id } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { readSecretFile } from "../files/secretFiles.ts";
import { completeSignature } from "./completeSignature.ts";
import type { Pkcs11Key, TokenKeyPlace } from "./keyLocation.ts";
import { type KeySource, KeyUnavailableError } from "./keySource.ts";
import { type Calls, callsTo } from "./pkcs11/calls.ts";
import type { Pkcs11Offer } from "./pkcs11/thread.ts";

/** The time limits of a token's signature and of a library's start, in milliseconds. */
const [signLimit, openLimit] = [5_000, 30_000];

/** The digest of a trial signature. No contract accepts it, because it is not a digest of typed data. */
const trial = id("hardhat-identity tries its signing key");

/**
 * Opens a key that a PKCS#11 library signs with, such as a key of an HSM, a smart card or a cloud's key service. A
 * token that was removed is opened again as soon as it is back.
 *
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when the key cannot be used as configured. The PIN is tried once.
 */
export async function pkcs11Source(
  location: Pkcs11Key,
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): Promise<KeySource> {
  const { module, token, object } = location;
  const pin = readPin(location, setting);
  try {
    const key = await openKey(module, { token, object, pin }, curve);
    // Only a signature shows that the key may sign and belongs to the public key.
    await key.sign(trial);
    return key;
  } catch (error) {
    const reason =
      error instanceof InvalidInputError ? error.message : `It cannot be used: ${reasonOf(error)}`;
    throw new InvalidInputError(`${setting}: ${reason}`);
  }
}

/** @throws InvalidInputError when the file with the PIN cannot be read, or others can read it. */
export function readPin({ pin }: Pkcs11Key, setting: string): string {
  if ("value" in pin) return pin.value;
  const { text, problem } = readSecretFile(`${setting} (pin-source)`, pin.file);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return text.trim();
}

async function openKey(module: string, place: TokenKeyPlace, curve: Curve): Promise<KeySource> {
  const thread = threadOf(module);
  const { number, publicKey } = await thread.ask(openLimit, (offer) => offer.call("open", place));
  const address = computeAddress(hexlify(publicKey));

  async function use<T>(call: (offer: Calls<Pkcs11Offer>) => Promise<T>): Promise<T> {
    try {
      return await thread.ask(signLimit, call);
    } catch (error) {
      throw new KeyUnavailableError(
        `The token ${JSON.stringify(place.token)} does not sign: ${reasonOf(error)}`,
      );
    }
  }

  return {
    address,
    async sign(digest) {
      const bytes = getBytes(digest);
      const plain = await use((offer) => offer.call("sign", number, bytes));
      return completeSignature(plain, digest, address, curve);
    },
    check: () => use((offer) => offer.call("check", number)),
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
const threadFile = join(import.meta.dirname, "pkcs11", `thread${extname(import.meta.filename)}`);

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
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isSilent = true;
        reject(silence());
      }, limit);
    });
    return await Promise.race([call(), late]).finally(() => clearTimeout(timer));
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

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
