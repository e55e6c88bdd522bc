import type { Wallet } from "ethers";
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
    const { readWallets } = await import("./accountKeys.ts");
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
