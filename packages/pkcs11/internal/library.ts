import { createRequire } from "node:module";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import type { PKCS11 } from "pkcs11js";

type Package = typeof import("pkcs11js");

/** A PKCS#11 library. A process loads it once, for all its keys. */
export interface Library {
  /** The constants of pkcs11js, an optional package. */
  readonly names: Package;
  /** The number of restarts of the library. A restart closes all sessions. */
  starts(): number;
  /** Calls the library, which is not stopped during the call. */
  use<T>(call: (pkcs11: PKCS11) => Promise<T>): Promise<T>;
  /** Restarts the library, unless its number of restarts has changed. */
  restart(starts: number): Promise<void>;
}

/**
 * Loads and starts a library.
 *
 * @param file The path of the library.
 * @throws InvalidInputError when it cannot be loaded, or pkcs11js is not installed.
 */
export function openLibrary(file: string): Library {
  const names = loadPackage();
  const pkcs11 = new names.PKCS11();
  try {
    pkcs11.load(file);
  } catch (error) {
    throw new InvalidInputError(`The PKCS#11 library of module-path cannot be loaded: ${reasonOf(error)}.`);
  }
  let count = 0;
  let calls = 0;
  let idle = () => {};
  let restarting: Promise<void> | undefined;

  /** Waits for running calls first: a library must not be stopped during a call. */
  async function stopAndStart(): Promise<void> {
    if (calls > 0) {
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    }
    count++;
    try {
      pkcs11.C_Finalize();
    } catch {
      // It was not running, or its token is gone.
    }
    start();
  }

  function start(): void {
    // Node makes calls from several threads.
    const options = { flags: names.CKF_OS_LOCKING_OK };
    try {
      pkcs11.C_Initialize(options);
    } catch (error) {
      if (reasonOf(error) !== "CKR_CRYPTOKI_ALREADY_INITIALIZED") throw error;
    }
  }

  start();
  return {
    names,
    starts: () => count,
    async use(call) {
      while (restarting !== undefined) await restarting.catch(() => undefined);
      calls++;
      try {
        return await call(pkcs11);
      } finally {
        calls--;
        if (calls === 0) idle();
      }
    },
    async restart(starts) {
      if (starts === count) {
        restarting ??= stopAndStart().finally(() => {
          restarting = undefined;
        });
      }
      await restarting;
    },
  };
}

function loadPackage(): Package {
  try {
    return createRequire(import.meta.url)("pkcs11js");
  } catch (error) {
    const what =
      systemErrorCode(error) === "MODULE_NOT_FOUND"
        ? "is not installed, or not compiled"
        : "cannot be loaded";
    throw new InvalidInputError(
      `A key on a token needs the npm package pkcs11js, which ${what}: run npm install pkcs11js, then npm rebuild pkcs11js.`,
    );
  }
}

/** The library's error code, such as `CKR_DEVICE_REMOVED`, or the loader's message. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
