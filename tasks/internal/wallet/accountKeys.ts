import { HDNodeWallet, pbkdf2, toUtf8Bytes, Wallet } from "ethers";
import type { EdrNetworkAccountsConfig } from "hardhat/types/config";

/** Reads the wallets of a simulated network's accounts from its configuration: address, lower case → wallet. */
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
  // Derives the BIP-39 seed itself: Hardhat accepts a mnemonic with a wrong checksum, and ethers does not.
  const seed = pbkdf2(toUtf8Bytes(mnemonic), toUtf8Bytes(salt), 2048, 64, "sha512");
  const parent = HDNodeWallet.fromSeed(seed).derivePath(accounts.path.replace(/\/$/, ""));
  return Array.from(
    { length: accounts.count },
    (_, i) => parent.deriveChild(accounts.initialIndex + i).privateKey,
  );
}
