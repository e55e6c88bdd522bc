import { checksumAddress, hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isHex, parseHex } from "@hardhat-identity/protocol/hex";
import { within } from "@hardhat-identity/protocol/within";
import { importModule } from "@hardhat-identity/store/files/importModule";
import type { Curve } from "../curve/curve.ts";
import { publicKeyAddress } from "../curve/publicKey.ts";
import { completeSignature } from "./completeSignature.ts";
import { type KeySource, KeyUnavailableError, trialDigest } from "./keySource.ts";

/** The time limit of a call. */
const limitMs = 5_000;

/**
 * Opens the key source that is a module's default export, or that the exported function returns.
 *
 * @param file The module's path, relative to the working directory.
 * @param setting The name of the setting, for errors.
 */
export async function moduleSource(file: string, curve: Curve, setting: string): Promise<KeySource> {
  const refuse = (problem: string) => new InvalidInputError(`${setting}: ${problem}`);
  const { default: exported } = await importModule(file).catch((error: Error) => {
    throw refuse(`The module ${file} cannot be loaded: ${error.message}`);
  });
  if (typeof exported !== "function") return adoptSource(exported as ForeignSource, curve, setting);
  const source = await (async () => exported())().catch((error: Error) => {
    throw refuse(`The module ${file} opens no key: ${error.message}`);
  });
  return adoptSource(source, curve, setting);
}

/** A key source of somebody else's. */
interface ForeignSource extends Pick<KeySource, "check"> {
  readonly address?: string;
  /** In place of the address; 33 or 65 bytes. */
  readonly publicKey?: Uint8Array;
  /** Returns r and s, with any s and with or without a v, or a signature in DER. */
  sign(digest: string): Promise<string | Uint8Array>;
}

/**
 * Completes the signatures of an operator's own key source, checks them, and limits their time.
 *
 * @param from Where the source comes from, for errors.
 * @throws InvalidInputError when it is not a {@link KeySource}, or does not sign now.
 */
export async function adoptSource(source: ForeignSource, curve: Curve, from: string): Promise<KeySource> {
  const { publicKey, sign, check } = source ?? {};
  const given = publicKey ? publicKeyAddress(publicKey) : source?.address;
  if (typeof sign !== "function" || typeof check !== "function" || !isSigner(given)) {
    throw new InvalidInputError(
      `${from} must be a key source: an object with the signer's address, and the functions sign and check.`,
    );
  }
  const address = checksumAddress(given);

  async function askModule<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await within(limitMs, call(), () => new Error(`no answer in ${limitMs / 1000} s`));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "for no reason";
      throw new KeyUnavailableError(`The key of ${address} does not sign: ${reason}`);
    }
  }

  const key: KeySource = {
    address,
    async sign(digest) {
      const signature = await askModule(async () => source.sign(digest));
      return completeSignature(readBytes(signature), digest, address, curve);
    },
    check: () => askModule(async () => source.check()),
  };
  // Only a signature shows that the key may sign and is the address's.
  await key.sign(trialDigest).catch((cause: Error) => {
    throw new InvalidInputError(`${from}: ${cause.message}`, { cause });
  });
  return key;
}

const isSigner = (given: unknown): given is string =>
  typeof given === "string" && isAddress(given) && hasValidCasing(given);

/** No bytes of what is no signature. */
function readBytes(signature: unknown): Uint8Array {
  if (signature instanceof Uint8Array) return signature;
  return isHex(signature) ? parseHex(signature) : new Uint8Array();
}
