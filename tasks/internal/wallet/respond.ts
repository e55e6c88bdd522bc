import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";
import { configureMethod, configureWallet } from "../../../wallet/configure.ts";
import { type DevelopmentWallet, WalletError, walletMethods } from "../../../wallet/index.ts";

const methods: ReadonlySet<string> = new Set([...walletMethods, configureMethod]);

/** Whether a request is for the wallet rather than for the node. */
export const isForWallet = ({ method }: JsonRpcRequest): boolean => methods.has(method);

/** Lets the wallet answer. A refusal is a response, not a throw: only so its code and message get through to HTTP. */
export async function respond(wallet: DevelopmentWallet, request: JsonRpcRequest): Promise<JsonRpcResponse> {
  const { id, method, params = [] } = request;
  try {
    const result =
      method === configureMethod ? configureWallet(wallet, params) : await wallet.request({ method, params });
    return { jsonrpc: "2.0", id, result };
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
  }
}
