import { toQuantity } from "@hardhat-identity/protocol/hex";
import { HDNodeWallet, pbkdf2, toUtf8Bytes, Wallet } from "ethers";
import type { EdrNetworkAccountsConfig } from "hardhat/types/config";
import type { SignAuthorization } from "./submit.ts";

/** Wallets by the configuration of the accounts, which all connections of a network share. */
const walletsOf = new WeakMap<EdrNetworkAccountsConfig, Promise<ReadonlyMap<string, Wallet>>>();

/**
 * Signs EIP-7702 authorizations with the keys of a simulated network's accounts, which its configuration has as private
 * keys or as a mnemonic. For other accounts, such as impersonated ones, the result is `undefined`.
 */
export async function signWithAccounts(
  accounts: EdrNetworkAccountsConfig,
  ...[account, { chainId, address, nonce }]: Parameters<SignAuthorization>
): ReturnType<SignAuthorization> {
  const wallets = walletsOf.get(accounts) ?? readWallets(accounts);
  walletsOf.set(accounts, wallets);
  const wallet = (await wallets).get(account.toLowerCase());
  if (wallet === undefined) return undefined;
  const { signature } = wallet.authorizeSync({ chainId: BigInt(chainId), address, nonce: BigInt(nonce) });
  return {
    yParity: `0x${signature.yParity}`,
    r: toQuantity(BigInt(signature.r)),
    s: toQuantity(BigInt(signature.s)),
  };
}

/** Reads the wallets of a simulated network's accounts from its configuration: address, lower case → wallet. */
async function readWallets(accounts: EdrNetworkAccountsConfig): Promise<ReadonlyMap<string, Wallet>> {
  const keys = Array.isArray(accounts)
    ? await Promise.all(accounts.map(({ privateKey }) => privateKey.getHexString()))
    : await deriveKeys(accounts);
  return new Map(keys.map((key) => new Wallet(key)).map((wallet) => [wallet.address.toLowerCase(), wallet]));
}

async function deriveKeys(
  accounts: Exclude<EdrNetworkAccountsConfig, readonly unknown[]>,
): Promise<string[]> {
  const mnemonic = (await accounts.mnemonic.get()).trim().normalize("NFKD");
  const salt = `mnemonic${await accounts.passphrase.get()}`.normalize("NFKD");
  // Derives the BIP-39 seed itself: Hardhat accepts a mnemonic with a wrong checksum, and ethers does not.
  const seed = pbkdf2(toUtf8Bytes(mnemonic), toUtf8Bytes(salt), 2048, 64, "sha512");
  const parent = HDNodeWallet.fromSeed(seed).derivePath(accounts.path.replace(/\/$/, ""));
  return Array.from(
    { length: accounts.count },
    (_, i) => parent.deriveChild(accounts.initialIndex + i).privateKey,
  );
}
