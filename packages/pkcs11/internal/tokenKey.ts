import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Handle, PKCS11 } from "pkcs11js";
import type { TokenKey, TokenKeyPlace } from "../key.ts";
import { findKey, findSlot } from "./findKey.ts";
import { type Library, reasonOf } from "./library.ts";
import { createPool, type Pool } from "./pool.ts";

/** The key and the sessions that are open on the token, until it is removed. */
interface Connection {
  /** The value of `Library.starts` when it was opened. */
  readonly starts: number;
  readonly key: Handle;
  readonly publicKey: Uint8Array;
  readonly sessions: Pool<Handle>;
}

/** The number of concurrent signatures. More are slower, and one of Node's four threads for such calls stays free. */
const sessionCount = 3;

/** The time between two attempts to open a token. */
const retryMs = 1_000;

/**
 * Opens a key. If the token was removed, the next call opens the key again.
 *
 * @throws InvalidInputError when the token, the PIN or the key is not as configured.
 */
export async function openTokenKey(library: Library, config: TokenKeyPlace): Promise<TokenKey> {
  let connection: Connection | undefined = await library.use((pkcs11) => connect(pkcs11, library, config));
  const { publicKey } = connection;
  let connecting: Promise<Connection> | undefined;
  /** The value of `Library.starts` when the key was lost, or when the last attempt to open it failed. */
  let lostAt = connection.starts;
  let failure: { readonly error: unknown; readonly since: number } | undefined;

  async function reconnect(): Promise<Connection> {
    // A token locks after a few wrong PINs.
    if (failure?.error instanceof WrongPinError) throw failure.error;
    if (failure !== undefined && performance.now() - failure.since < retryMs) throw failure.error;
    try {
      await library.restart(lostAt);
      const found = await library.use((pkcs11) => connect(pkcs11, library, config));
      if (Buffer.compare(found.publicKey, publicKey) !== 0) {
        throw new Error("The token now has a different key under that name; restart the service.");
      }
      connection = found;
      return found;
    } catch (error) {
      lostAt = library.starts();
      failure = { error, since: performance.now() };
      throw error;
    }
  }

  async function open(): Promise<Connection> {
    if (connection !== undefined) return connection;
    connecting ??= reconnect().finally(() => {
      connecting = undefined;
    });
    return await connecting;
  }

  /** Repeats a failed call once with a new connection: the old one may have lost its sessions. */
  async function use<T>(call: (pkcs11: PKCS11, connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const current = await open();
      try {
        return await library.use((pkcs11) => call(pkcs11, current));
      } catch (error) {
        if (connection === current) {
          connection = undefined;
          lostAt = current.starts;
        }
        if (attempt > 0) throw error;
      }
    }
  }

  return {
    publicKey,
    sign: (digest) => use((pkcs11, current) => sign(pkcs11, library, current, digest)),
    check: () => use((pkcs11, current) => check(pkcs11, library, current)),
  };
}

/** The token refuses the PIN, or may lock after another try. This PIN is never tried again. */
class WrongPinError extends InvalidInputError {}

async function connect(pkcs11: PKCS11, library: Library, config: TokenKeyPlace): Promise<Connection> {
  const { names } = library;
  const starts = library.starts();
  const slot = findSlot(pkcs11, config.token);
  const sessions = openSessions(pkcs11, names, slot);
  const [session] = sessions;
  try {
    logIn(pkcs11, names, { slot, session, config });
    const { handle, publicKey } = findKey({ pkcs11, names, session }, config);
    return { starts, key: handle, publicKey, sessions: createPool(sessions) };
  } catch (error) {
    // Closing the last session logs out.
    for (const each of sessions) pkcs11.C_CloseSession(each);
    throw error;
  }
}

function openSessions(pkcs11: PKCS11, names: Library["names"], slot: Handle): [Handle, ...Handle[]] {
  const open = () => pkcs11.C_OpenSession(slot, names.CKF_SERIAL_SESSION);
  const sessions: [Handle, ...Handle[]] = [open()];
  try {
    while (sessions.length < sessionCount) sessions.push(open());
  } catch (error) {
    // A token with few sessions makes fewer signatures at once.
    if (reasonOf(error) !== "CKR_SESSION_COUNT") throw error;
  }
  return sessions;
}

function logIn(
  pkcs11: PKCS11,
  names: Library["names"],
  { slot, session, config }: { slot: Handle; session: Handle; config: TokenKeyPlace },
): void {
  const token = `the token ${JSON.stringify(config.token)}`;
  const { flags } = pkcs11.C_GetTokenInfo(slot);
  if (flags & (names.CKF_USER_PIN_FINAL_TRY | names.CKF_USER_PIN_LOCKED)) {
    throw new WrongPinError(
      `The next wrong PIN locks ${token}, or it is locked already: the PIN is not tried. Log in with another program first.`,
    );
  }
  try {
    pkcs11.C_Login(session, names.CKU_USER, config.pin);
  } catch (error) {
    const code = reasonOf(error);
    // All sessions of a program are logged in together.
    if (code === "CKR_USER_ALREADY_LOGGED_IN") return;
    if (!code.startsWith("CKR_PIN_")) throw error;
    throw new WrongPinError(
      `${token.replace("the", "The")} does not take the PIN (${code}). It was tried once and is not tried again, because tokens lock.`,
    );
  }
}

/** Reads from the token, because a library may answer other calls without it. */
function check(pkcs11: PKCS11, { names }: Library, { sessions, key }: Connection): Promise<void> {
  return sessions.run(async (session) => {
    pkcs11.C_GetAttributeValue(session, key, [{ type: names.CKA_LABEL }]);
  });
}

function sign(
  pkcs11: PKCS11,
  { names }: Library,
  { sessions, key }: Connection,
  digest: Uint8Array,
): Promise<Uint8Array> {
  return sessions.run(async (session) => {
    pkcs11.C_SignInit(session, { mechanism: names.CKM_ECDSA }, key);
    return await pkcs11.C_SignAsync(session, Buffer.from(digest), Buffer.alloc(64));
  });
}
