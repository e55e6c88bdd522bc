import type { AddressInfo, Server } from "node:net";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/**
 * Makes a server listen at the configured address.
 *
 * @param settings The start of the names of the variables that configure it, for errors.
 * @returns The port.
 */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  settings: "IDENTITY" | "IDENTITY_METRICS" = "IDENTITY",
): Promise<number> {
  return new Promise((resolve, reject) => {
    // Not only once: a connection that the system cannot accept is an error, too, and ends nothing.
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const problem =
        cause.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is in use; choose another one (${settings}_PORT).`
          : `The signer cannot listen on ${host} port ${port} (${cause.code}); see ${settings}_HOST and ${settings}_PORT.`;
      reject(new InvalidInputError(problem, { cause }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}
