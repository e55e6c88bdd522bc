import type { NetworkHooks } from "hardhat/types/hooks";
import type { JsonRpcRequest } from "hardhat/types/providers";
import { hasFastBlocks, withoutPending } from "../internal/fastBlocks.ts";
import type { ClaimWallet } from "../internal/testing/attack.ts";
import { type OpenedIdentity, openIdentity } from "../internal/testing/connectionIdentity.ts";
import { passIntercepted } from "../internal/testing/intercept.ts";

// Every process that opens a connection loads this file and its imports. Heavy modules are imported only when used.
export default async (): Promise<Partial<NetworkHooks>> => ({
  async newConnection(context, next) {
    const connection = await next(context);
    const { networkConfig } = connection;
    if (networkConfig.type === "edr-simulated" && networkConfig.forking?.enabled === true) {
      const { requireBuildableFork } = await import("../internal/requireBuildableFork.ts");
      await requireBuildableFork(connection, context.config.chainDescriptors);
    }
    const own = openIdentity(connection.provider, {
      artifacts: context.artifacts,
      project: context,
      openWallet: (address) => openWithToolbox(connection, address),
    });
    opened.set(connection, own);
    // The wallet's plugin has put its own member there.
    Object.assign(connection.identity, own.identity);
    return connection;
  },

  async closeConnection(context, connection, next) {
    try {
      await opened.get(connection)?.close();
    } finally {
      await next(context, connection);
    }
  },

  async onRequest(context, connection, asked, next) {
    const request = hasFastBlocks(connection.networkConfig) ? withoutPending(asked) : asked;
    const intercepted = passIntercepted(connection.provider, request, (one) =>
      next(context, connection, one),
    );
    if (intercepted !== undefined) return intercepted;
    const isSimulated = connection.networkConfig.type === "edr-simulated";
    if (isSimulated && connection.chainType === "op" && request.method === "hardhat_mine") {
      const { mineInSteps } = await import("../internal/mineInSteps.ts");
      return mineInSteps(request, (step) => next(context, connection, step));
    }
    try {
      const response = await next(context, connection, request);
      if ("error" in response) {
        explainFork(response.error);
        await explainRevert(opened.get(connection), request, response.error);
      }
      return response;
    } catch (error) {
      explainFork(error);
      await explainRevert(opened.get(connection), request, error);
      throw error;
    }
  },
});

const opened = new WeakMap<object, OpenedIdentity>();

/** Adds what to do to the error of a fork whose chain's hardforks Hardhat does not know. */
function explainFork(error: unknown): void {
  const shown = Object(error) as { message?: unknown };
  const message = String(shown.message);
  // Short, because only the start of a node's error is shown.
  const [problem] = /No known hardfork[^.]*/.exec(message) ?? [];
  if (problem === undefined || message.includes(knowHardforks)) return;
  shown.message = `${problem}. ${knowHardforks}`;
}

const knowHardforks =
  'In hardhat.config.ts, the network needs chainType: "op", as forks of hardhat-identity/networks have; chains other than 8453 and 84532 need a hardforkHistory in chainDescriptors, too.';

/** Keeps a contract's revert data for `identity.explain`, and adds the revert's name to the error. */
async function explainRevert(
  identity: OpenedIdentity | undefined,
  { method, params }: JsonRpcRequest,
  error: unknown,
): Promise<void> {
  if (!executing.has(method) || !Array.isArray(params)) return;
  const { readRpcError } = await import("@hardhat-identity/protocol/rpcError");
  const { data } = readRpcError(error);
  if (data === undefined || data === "0x") return;
  identity?.noteRevert(data, Object(params[0]));
  const { nameRevert } = await import("../internal/testing/nameRevert.ts");
  nameRevert(Object(error), data);
}

/** Opens an account as the project's toolbox does. Without one, an account is its address. */
async function openWithToolbox(connection: object, address: string): Promise<ClaimWallet> {
  const { ethers, viem } = connection as Partial<{
    ethers: { getSigner(address: string): Promise<object> };
    viem: { getWalletClient(address: string): Promise<object> };
  }>;
  const account = { address, type: "json-rpc" };
  const wallet = (await ethers?.getSigner(address)) ??
    (await viem?.getWalletClient(address)) ?? { address, account };
  if (!("address" in wallet)) Object.assign(wallet, { address });
  if (!("account" in wallet)) Object.assign(wallet, { account });
  return wallet as ClaimWallet;
}

/** The methods that run a contract and take the call as their first parameter. */
const executing: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas", "eth_sendTransaction"]);
