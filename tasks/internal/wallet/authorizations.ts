import { HDNodeWallet, pbkdf2, toUtf8Bytes, Wallet } from "ethers";
import type { EdrNetworkAccountsConfig } from "hardhat/types/config";
import type { SignAuthorization } from "../../../wallet/index.ts";

/** Connections of one network share their accounts' configuration, and so the keys. */
const walletsOf = new WeakMap<EdrNetworkAccountsConfig, Promise<ReadonlyMap<string, Wallet>>>();

/**
 * Signs EIP-7702 authorizations with the keys of a simulated network's accounts, as its configuration gives them: a
 * list of private keys, or a mnemonic. For other accounts, such as impersonated ones, there is no signature.
 */
export function signWithAccounts(accounts: EdrNetworkAccountsConfig): SignAuthorization {
  return async (account, { chainId, address, nonce }) => {
    const wallets = walletsOf.get(accounts) ?? readWallets(accounts);
    walletsOf.set(accounts, wallets);
    const wallet = (await wallets).get(account.toLowerCase());
    if (wallet === undefined) return undefined;
    const { signature } = wallet.authorizeSync({ chainId: BigInt(chainId), address, nonce: BigInt(nonce) });
    return { yParity: `0x${signature.yParity}`, r: toQuantity(signature.r), s: toQuantity(signature.s) };
  };
}

/** JSON-RPC writes r and s as integers. */
const toQuantity = (hex: string): string => `0x${BigInt(hex).toString(16)}`;

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
  // The seed of BIP-39 by hand: Hardhat takes a mnemonic with a wrong checksum, ethers does not.
  const seed = pbkdf2(toUtf8Bytes(mnemonic), toUtf8Bytes(salt), 2048, 64, "sha512");
  const parent = HDNodeWallet.fromSeed(seed).derivePath(accounts.path.replace(/\/$/, ""));
  return Array.from(
    { length: accounts.count },
    (_, i) => parent.deriveChild(accounts.initialIndex + i).privateKey,
  );
}
