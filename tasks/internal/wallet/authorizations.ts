import type { Wallet } from "ethers";
import type { EdrNetworkAccountsConfig } from "hardhat/types/config";
import type { SignAuthorization } from "../../../wallet/index.ts";

/** Wallets by the configuration of the accounts, which all connections of a network share. */
const walletsOf = new WeakMap<EdrNetworkAccountsConfig, Promise<ReadonlyMap<string, Wallet>>>();

/**
 * Signs EIP-7702 authorizations with the keys of a simulated network's accounts, which its configuration has as private
 * keys or as a mnemonic. For other accounts, such as impersonated ones, the result is `undefined`.
 */
export function signWithAccounts(accounts: EdrNetworkAccountsConfig): SignAuthorization {
  return async (account, { chainId, address, nonce }) => {
    const { readWallets } = await import("./accountKeys.ts");
    const wallets = walletsOf.get(accounts) ?? readWallets(accounts);
    walletsOf.set(accounts, wallets);
    const wallet = (await wallets).get(account.toLowerCase());
    if (wallet === undefined) return undefined;
    const { signature } = wallet.authorizeSync({ chainId: BigInt(chainId), address, nonce: BigInt(nonce) });
    return { yParity: `0x${signature.yParity}`, r: toQuantity(signature.r), s: toQuantity(signature.s) };
  };
}

/** Converts to a quantity, as JSON-RPC requires for r and s. */
const toQuantity = (hex: string): string => `0x${BigInt(hex).toString(16)}`;
