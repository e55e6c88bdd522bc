import type { NetworkHooks } from "hardhat/types/hooks";
import { createConnectionIdentity } from "../internal/connectionIdentity.ts";
import { openWallet } from "../internal/wallet/open.ts";
import { isForWallet, respond } from "../internal/wallet/respond.ts";

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
    const ours = connection.networkConfig.type === "edr-simulated" && isForWallet(request);
    return ours ? respond(connection.identity.wallet, request) : next(context, connection, request);
  },
});
