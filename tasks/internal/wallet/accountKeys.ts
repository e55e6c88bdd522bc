import { HDNodeWallet, pbkdf2, toUtf8Bytes, Wallet } from "ethers";
import type { EdrNetworkAccountsConfig } from "hardhat/types/config";

/** The wallets of a simulated network's accounts, as its configuration gives them: address, lower case → wallet. */
export async function readWallets(accounts: EdrNetworkAccountsConfig): Promise<ReadonlyMap<string, Wallet>> {
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
