import type { AddressInfo, Server } from "node:net";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { SignerConfig } from "./config.ts";

/**
 * Has a server listen where it is configured to.
 *
 * @returns The port.
 * @throws InvalidInputError when it cannot.
 */
export function listen(server: Server, { host, port }: Pick<SignerConfig, "host" | "port">): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new InvalidInputError(describeListenError(error, host, port), { cause: error }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function describeListenError({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is in use; choose another one (IDENTITY_PORT).`;
  }
  return `The signer cannot listen on ${host} port ${port} (${code}); see IDENTITY_HOST and IDENTITY_PORT.`;
}
