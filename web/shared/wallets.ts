import { checksumAddress, isAddress } from "../../protocol/address.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";

/** A wallet that is in the page, as EIP-6963 announces it. */
export interface AnnouncedWallet {
  readonly id: string;
  /** The same at every visit: a domain in reverse, such as `com.example.wallet`. */
  readonly domain: string;
  readonly name: string;
  /** A data URL, or nothing. */
  readonly icon: string | undefined;
  /** Whether its keys are known to everybody. */
  readonly isDevelopment: boolean;
  readonly connection: Eip1193Connection;
}

interface Announcement {
  readonly info: {
    readonly uuid: string;
    readonly name: string;
    readonly icon: string;
    readonly rdns: string;
  };
  /** What EIP-6963 calls the connection to a wallet. */
  readonly provider: Eip1193Connection;
}

/** What the development wallet of this package calls itself. */
const developmentDomain = "localhost.hardhat-identity";

/**
 * Tells which wallets there are, whenever another one announces itself.
 *
 * @returns Stops it.
 */
export function watchWallets(onChange: (wallets: readonly AnnouncedWallet[]) => void): () => void {
  const found = new Map<string, AnnouncedWallet>();
  const hear = (event: Event) => {
    const { info, provider: connection } = (event as CustomEvent<Announcement>).detail;
    found.set(info.uuid, {
      id: info.uuid,
      domain: info.rdns,
      name: info.name,
      icon: info.icon.startsWith("data:image/") ? info.icon : undefined,
      isDevelopment: info.rdns === developmentDomain,
      connection,
    });
    onChange([...found.values()]);
  };
  window.addEventListener("eip6963:announceProvider", hear);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  return () => window.removeEventListener("eip6963:announceProvider", hear);
}

/** Asks a wallet for the accounts that the page may use, checksummed. */
export async function requestAccounts(connection: Eip1193Connection): Promise<readonly string[]> {
  return readAccounts(await connection.request({ method: "eth_requestAccounts" }));
}

/** The accounts that the page may use already, without asking the person. */
export async function knownAccounts(connection: Eip1193Connection): Promise<readonly string[]> {
  const accounts = await connection.request({ method: "eth_accounts" }).catch(() => []);
  return readAccounts(accounts);
}

function readAccounts(accounts: unknown): readonly string[] {
  return Array.isArray(accounts) ? accounts.filter(isAddress).map(checksumAddress) : [];
}

/**
 * The account to offer first. The node's first account deploys and owns the registry: with the development wallet a
 * person is the next one, in the demo and on the verify page alike.
 */
export function startingAccount(wallet: AnnouncedWallet, accounts: readonly string[]): string | undefined {
  return (wallet.isDevelopment ? accounts[1] : undefined) ?? accounts[0];
}

/** Whether a wallet's error says that its user refused (EIP-1193). */
export function isRefusal(error: unknown): boolean {
  return Object(error).code === 4001 || Object(error).code === "USER_REJECTED";
}
