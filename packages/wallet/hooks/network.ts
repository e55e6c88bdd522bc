import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HookContext, NetworkHooks } from "hardhat/types/hooks";
import type { NetworkConnection } from "hardhat/types/network";
import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";
import { configureMethod, configureWallet } from "../configure.ts";
import type { ConnectionIdentity } from "../connection.ts";
import { answeredMethods, createWallet, type DevelopmentWallet, refusesForwarded } from "../createWallet.ts";
import { WalletError } from "../errors.ts";
import type { WalletSettings } from "../settings.ts";

// Every process that opens a connection loads this file and its imports. Heavy modules are imported only when used.
export default async (): Promise<Partial<NetworkHooks>> => ({
  async newConnection(context, next) {
    const connection = await next(context);
    const identity: Pick<ConnectionIdentity, "wallet"> = {
      get wallet() {
        return findWallet(connection, context.config.identity.wallet);
      },
    };
    // Other plugins add their members.
    connection.identity = identity as ConnectionIdentity;
    return connection;
  },

  async onRequest(context, connection, request, next) {
    const isAnswered =
      isSimulated(connection) && (forWallet.has(request.method) || refuses(context, connection, request));
    return isAnswered ? respond(connection.identity.wallet, request) : next(context, connection, request);
  },
});

/** The methods that the wallet answers instead of the node. */
const forWallet: ReadonlySet<string> = new Set([...answeredMethods, configureMethod]);

/** The wallets that are in use. */
const wallets = new WeakMap<object, DevelopmentWallet>();

function isSimulated({ networkConfig }: NetworkConnection<string>): boolean {
  return networkConfig.type === "edr-simulated";
}

/** Whether the wallet refuses a request that the node would answer. */
function refuses(
  { config }: HookContext,
  connection: NetworkConnection<string>,
  request: JsonRpcRequest,
): boolean {
  const isNeeded = Array.isArray(config.identity.wallet.accounts);
  const wallet = isNeeded ? connection.identity.wallet : wallets.get(connection);
  return wallet !== undefined && refusesForwarded(wallet, request);
}

/** Returns the wallet of a connection, which is opened at its first use. */
function findWallet(
  connection: NetworkConnection<string>,
  settings: Partial<WalletSettings>,
): DevelopmentWallet {
  const wallet = wallets.get(connection) ?? openWallet(connection, settings);
  wallets.set(connection, wallet);
  return wallet;
}

function openWallet(
  { provider: node, networkConfig }: NetworkConnection<string>,
  settings: Partial<WalletSettings>,
): DevelopmentWallet {
  if (networkConfig.type !== "edr-simulated") {
    throw new InvalidInputError(
      "This network is not simulated in this process, so there is no development wallet to configure. The wallet of " +
        `a node that runs with hardhat-identity is configured by a request to it: ${configureMethod}.`,
    );
  }
  return createWallet({
    node,
    async signAuthorization(...asked) {
      const { signWithAccounts } = await import("../internal/authorizations.ts");
      return signWithAccounts(networkConfig.accounts, ...asked);
    },
    settings,
    async show(status) {
      const { print } = await import("@hardhat-identity/console/print");
      const { describeStatus } = await import("../describeStatus.ts");
      print(describeStatus(status));
    },
  });
}

/** Passes a request to the wallet. An error becomes a response: HTTP clients would not get the code of a thrown one. */
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
