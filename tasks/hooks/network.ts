import type { EdrNetworkConfig } from "hardhat/types/config";
import type { NetworkHooks } from "hardhat/types/hooks";
import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";
import { readArtifact } from "../../ignition/artifacts.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { configureMethod, configureWallet } from "../../wallet/configure.ts";
import {
  createWallet,
  type DevelopmentWallet,
  WalletError,
  type WalletSettings,
  walletMethods,
} from "../../wallet/index.ts";
import { createConnectionIdentity } from "../internal/connectionIdentity.ts";
import { signWithAccounts } from "../internal/wallet/authorizations.ts";
import { describeStatus } from "../internal/wallet/describeStatus.ts";

// Every process that opens a connection loads this file and what it imports: whatever is heavy is imported where it is
// used.
export default async (): Promise<Partial<NetworkHooks>> => ({
  async newConnection(context, next) {
    const connection = await next(context);
    const { provider: node, networkConfig } = connection;
    connection.identity =
      networkConfig.type === "edr-simulated"
        ? createConnectionIdentity(node, () =>
            openWallet(node, networkConfig, context.config.identity.wallet),
          )
        : createConnectionIdentity(node);
    return connection;
  },

  async onRequest(context, connection, request, next) {
    const ours = connection.networkConfig.type === "edr-simulated" && forWallet.has(request.method);
    return ours ? respond(connection.identity.wallet, request) : next(context, connection, request);
  },
});

/** The methods that are the wallet's rather than the node's. */
const forWallet: ReadonlySet<string> = new Set([...walletMethods, configureMethod]);

/** Opens the development wallet of a simulated network. */
function openWallet(
  node: Eip1193Connection,
  { accounts }: EdrNetworkConfig,
  settings: Partial<WalletSettings>,
): DevelopmentWallet {
  return createWallet({
    node,
    executorCode: readArtifact("wallet/BatchExecutor").deployedBytecode,
    signAuthorization: signWithAccounts(accounts),
    settings,
    show: (status) => console.log(describeStatus(status)),
  });
}

/** Lets the wallet answer. A refusal is a response, not a throw: only so its code and message get through to HTTP. */
async function respond(wallet: DevelopmentWallet, request: JsonRpcRequest): Promise<JsonRpcResponse> {
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
