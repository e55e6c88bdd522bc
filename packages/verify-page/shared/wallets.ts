import { checksumAddress, isAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { membersOf } from "@hardhat-identity/protocol/json";
import { inTime } from "./inTime.ts";
import { NoAccounts, NodeFailure, nameTrouble, WalletFailure } from "./trouble.ts";

/** A wallet that is in the page, as EIP-6963 announces it, or as `window.ethereum`. */
export interface AnnouncedWallet {
  readonly id: string;
  /** The same at every visit: a domain in reverse, such as `com.example.wallet`. */
  readonly domain: string;
  /** As it calls itself; empty where it says nothing. */
  readonly name: string;
  /** A data URL, or nothing. */
  readonly icon: string | undefined;
  /** Whether its keys are known to everybody. */
  readonly isDevelopment: boolean;
  readonly connection: WalletConnection;
}

/** A connection to a wallet; what happens in it is told by events (EIP-1193), where it has any. */
export interface WalletConnection extends Eip1193Connection {
  on?(event: string, listener: (value: unknown) => void): unknown;
  removeListener?(event: string, listener: (value: unknown) => void): unknown;
}

/** The `rdns` of this package's development wallet. */
const developmentDomain = "localhost.hardhat-identity";
/** Where older wallets, and wallets' own browsers on a phone, are. */
const injectedDomain = "window.ethereum";

/** Milliseconds between two looks for a wallet that may come in without a word. */
const lookEveryMs = 500;

/**
 * Tells which wallets there are, now and whenever there is another one: those that announce themselves (EIP-6963), and
 * where none does, the one at `window.ethereum`.
 *
 * @returns Stops it.
 */
export function watchWallets(onChange: (wallets: readonly AnnouncedWallet[]) => void): () => void {
  let found: readonly AnnouncedWallet[] = [];
  let told: readonly AnnouncedWallet[] | undefined;
  const tell = () => {
    const injected = found.every(({ isDevelopment }) => isDevelopment) ? readInjected(found) : undefined;
    const wallets = injected === undefined ? found : [injected, ...found];
    const isSame = (wallet: AnnouncedWallet, i: number) =>
      wallet === told?.[i] || (wallet.id === injectedDomain && wallet.connection === told?.[i]?.connection);
    if (told?.length === wallets.length && wallets.every(isSame)) return;
    told = wallets;
    onChange(wallets);
  };
  const hear = (event: Event) => {
    const wallet = readAnnouncement((event as CustomEvent<unknown>).detail);
    if (wallet === undefined) return;
    // Some announce themselves again, as another one or with another connection.
    const isOther = ({ id, connection }: AnnouncedWallet) =>
      id !== wallet.id && connection !== wallet.connection;
    found = [...found.filter(isOther), wallet];
    tell();
  };
  window.addEventListener("eip6963:announceProvider", hear);
  // Wallets that come in after the page say so.
  window.addEventListener("ethereum#initialized", tell);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  tell();
  const looking = setInterval(tell, lookEveryMs);
  return () => {
    clearInterval(looking);
    window.removeEventListener("eip6963:announceProvider", hear);
    window.removeEventListener("ethereum#initialized", tell);
  };
}

function readAnnouncement(detail: unknown): AnnouncedWallet | undefined {
  // EIP-6963's names: `provider` is the connection to a wallet.
  const { info, provider } = membersOf(detail);
  const { uuid, name, icon, rdns } = membersOf(info);
  if (typeof uuid !== "string" || Object(provider) !== provider) return undefined;
  return {
    id: uuid,
    domain: String(rdns ?? uuid),
    name: String(name ?? "")
      .replace(/\p{C}/gu, "")
      .trim(),
    icon: typeof icon === "string" && /^\s*data:image\//i.test(icon) ? icon : undefined,
    isDevelopment: rdns === developmentDomain,
    connection: reach(provider as WalletConnection, rdns === developmentDomain),
  };
}

function readInjected(announced: readonly AnnouncedWallet[]): AnnouncedWallet | undefined {
  try {
    const wallet: WalletConnection | undefined = Reflect.get(window, "ethereum");
    if (typeof wallet?.request !== "function") return undefined;
    const connection = reach(wallet, false);
    if (announced.some((each) => each.connection === connection)) return undefined;
    const id = injectedDomain;
    return { id, domain: id, name: "", icon: undefined, isDevelopment: false, connection };
  } catch {
    // Several extensions may fight for the place.
    return undefined;
  }
}

const reached = new WeakMap<WalletConnection, WalletConnection>();

/**
 * A wallet, as the page uses it: what it throws at once is a refusal like any other, and it may have no events. The
 * development wallet is a node: what the browser says of a request that came to nothing is said of the node.
 */
function reach(wallet: WalletConnection, isDevelopment: boolean): WalletConnection {
  const known = reached.get(wallet);
  if (known !== undefined) return known;
  const listen =
    (way: "on" | "removeListener"): NonNullable<WalletConnection["on"]> =>
    (event, listener) => {
      try {
        wallet[way]?.(event, listener);
      } catch {
        // Then it tells nothing.
      }
    };
  const connection: WalletConnection = {
    async request(asked) {
      try {
        const answer = Promise.resolve(wallet.request(asked));
        // A wallet asks a person, who may take any time.
        return await (isDevelopment ? inTime(answer, failLate) : answer);
      } catch (cause) {
        if (cause instanceof NodeFailure) throw cause;
        if (isDevelopment && (cause instanceof TypeError || cause instanceof SyntaxError))
          throw new NodeFailure("The local node does not answer.", { cause });
        throw new WalletFailure("The wallet did not do what it was asked.", { cause });
      }
    },
    on: listen("on"),
    removeListener: listen("removeListener"),
  };
  reached.set(wallet, connection);
  return connection;
}

function failLate(): never {
  throw new NodeFailure("The local node does not answer in time.");
}

/** The development wallet's connection, where it need not be chosen from a list. */
export const reachDevelopment = (wallet: WalletConnection): WalletConnection => reach(wallet, true);

/** Tells what a person changes in a wallet meanwhile: which accounts the page may use, and the network. */
export function followWallet(
  wallet: WalletConnection,
  hear: {
    readonly accounts: (accounts: readonly string[]) => void;
    readonly chain: () => void;
  },
): () => void {
  const accounts = (changed: unknown) => hear.accounts(readAccounts(changed));
  const chain = () => hear.chain();
  wallet.on?.("accountsChanged", accounts);
  wallet.on?.("chainChanged", chain);
  return () => {
    wallet.removeListener?.("accountsChanged", accounts);
    wallet.removeListener?.("chainChanged", chain);
  };
}

/**
 * Asks a wallet for the accounts that the page may use, checksummed.
 *
 * @throws NoAccounts, or what the wallet does.
 */
export async function requestAccounts(connection: Eip1193Connection): Promise<readonly string[]> {
  const accounts = readAccounts(await connection.request({ method: "eth_requestAccounts" }));
  if (accounts.length === 0) throw new NoAccounts("The wallet showed no account.");
  return accounts;
}

/** Asks the person to choose again, in the wallet, the accounts that the page may use (EIP-2255). */
export async function chooseAccounts(connection: Eip1193Connection): Promise<readonly string[]> {
  try {
    await connection.request({ method: "wallet_requestPermissions", params: [{ eth_accounts: {} }] });
  } catch (error) {
    // Not every wallet can ask; all of them answer what follows.
    if (nameTrouble(error) !== "wallet") throw error;
  }
  return requestAccounts(connection);
}

/** The accounts that the page may use already, without asking the person. */
export async function knownAccounts(connection: Eip1193Connection): Promise<readonly string[]> {
  const accounts = await connection.request({ method: "eth_accounts" }).catch(() => []);
  return readAccounts(accounts);
}

function readAccounts(accounts: unknown): readonly string[] {
  return Array.isArray(accounts) ? [...new Set(accounts.filter(isAddress).map(checksumAddress))] : [];
}

/**
 * The account to offer first. The node's first account deploys and owns the registry: with the development wallet a
 * person is the next one, in the demo and on the verify page alike.
 *
 * @param asked The account that an app asks for.
 */
export function startingAccount(
  wallet: AnnouncedWallet,
  accounts: readonly string[],
  asked?: string,
): string | undefined {
  const found = accounts.find((account) => account === asked);
  return found ?? (wallet.isDevelopment ? accounts[1] : undefined) ?? accounts[0];
}

/** A wallet's name, as people read it. */
export const nameWallet = (
  { isDevelopment, name }: AnnouncedWallet,
  texts: { readonly developmentWallet: string; readonly unnamedWallet: string },
): string => (isDevelopment ? texts.developmentWallet : name || texts.unnamedWallet);
