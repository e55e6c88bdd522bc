import type { NetworkHooks } from "hardhat/types/hooks";
import { createConnectionIdentity } from "../connection/identity.ts";
import { openWallet } from "../wallet/open.ts";
import { isForWallet, respond } from "../wallet/respond.ts";

export default async (): Promise<Partial<NetworkHooks>> => ({
  async newConnection(context, next) {
    const connection = await next(context);
    const { provider, networkConfig } = connection;
    connection.identity =
      networkConfig.type === "edr-simulated"
        ? createConnectionIdentity(provider, () =>
            openWallet(provider, networkConfig, context.config.identity.wallet),
          )
        : createConnectionIdentity(provider);
    return connection;
  },

  async onRequest(context, connection, request, next) {
    const ours = connection.networkConfig.type === "edr-simulated" && isForWallet(request);
    return ours ? respond(connection.identity.wallet, request) : next(context, connection, request);
  },
});
