import type { NetworkHooks } from "hardhat/types/hooks";
import { createConnectionIdentity } from "../connection/identity.ts";

export default async (): Promise<Partial<NetworkHooks>> => ({
  async newConnection(context, next) {
    const connection = await next(context);
    connection.identity = createConnectionIdentity(connection.provider);
    return connection;
  },
});
