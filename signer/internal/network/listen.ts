import type { AddressInfo, Server } from "node:net";
import { InvalidInputError } from "../../../protocol/errors.ts";

/**
 * Makes a server listen at the configured address.
 *
 * @param settings The start of the names of the variables that configure it, for errors.
 * @returns The port.
 * @throws InvalidInputError when it cannot.
 */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  settings: "IDENTITY" | "IDENTITY_METRICS" = "IDENTITY",
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new InvalidInputError(describeListenError(error, host, port, settings), { cause: error }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function describeListenError(
  { code }: NodeJS.ErrnoException,
  host: string,
  port: number,
  settings: string,
): string {
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is in use; choose another one (${settings}_PORT).`;
  }
  return `The signer cannot listen on ${host} port ${port} (${code}); see ${settings}_HOST and ${settings}_PORT.`;
}
