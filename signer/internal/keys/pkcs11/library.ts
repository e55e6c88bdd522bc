import { createRequire } from "node:module";
import type { PKCS11 } from "pkcs11js";
import { InvalidInputError } from "../../../../protocol/errors.ts";

type Package = typeof import("pkcs11js");

/** A PKCS#11 library, which a process has once, for all its keys. */
export interface Library {
  /** pkcs11js, which is there only where somebody installed it: its constants. */
  readonly names: Package;
  /** How often the library was started: what was opened before is gone. */
  starts(): number;
  /** Calls the library; it is not stopped meanwhile. */
  use<T>(call: (pkcs11: PKCS11) => Promise<T>): Promise<T>;
  /** Stops and starts it, unless somebody has since it was started for that many times. */
  restart(starts: number): Promise<void>;
}

/**
 * Loads and starts a library.
 *
 * @param file Its path.
 * @throws InvalidInputError when it cannot be loaded, or pkcs11js is not there.
 */
export function openLibrary(file: string): Library {
  const names = loadPackage();
  const pkcs11 = new names.PKCS11();
  try {
    pkcs11.load(file);
  } catch (error) {
    throw new InvalidInputError(
      `The module-path is no PKCS#11 library that can be loaded: ${reasonOf(error)}.`,
    );
  }
  let count = 0;
  let calls = 0;
  let idle = () => {};
  let restarting: Promise<void> | undefined;

  /** A library must not be stopped during a call. */
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
      // It was not running; or cannot say so to a token that is away.
    }
    start();
  }

  function start(): void {
    // Calls come from several threads of Node's.
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
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const what = code === "MODULE_NOT_FOUND" ? "is not installed, or not compiled" : "cannot be loaded";
    throw new InvalidInputError(
      `A key on a token needs the npm package pkcs11js, which ${what}; npm install pkcs11js does both.`,
    );
  }
}

/** The code that the library gave, such as `CKR_DEVICE_REMOVED`; else what the loader says. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
