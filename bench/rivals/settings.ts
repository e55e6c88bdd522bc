import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The path at which rivals answer, as this service does. */
export const path = "/v1/onchain_verifications";

/** Reads a setting of a rival: an environment variable, which the bench sets. */
export function readSetting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}

/** Prints where a rival listens, for the bench. */
export function announce(server: Server): void {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
}
