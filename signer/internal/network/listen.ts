import type { AddressInfo, Server } from "node:net";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** The names of the variables that configure where to listen. */
interface PlaceVariables {
  readonly host: string;
  readonly port: string;
}

const mainVariables: PlaceVariables = { host: "IDENTITY_HOST", port: "IDENTITY_PORT" };
const metricsVariables: PlaceVariables = { host: "IDENTITY_METRICS_HOST", port: "IDENTITY_METRICS_PORT" };

/** Makes a server listen at the configured address for metrics; see {@link listen}. */
export const listenForMetrics = (
  server: Server,
  { metricsHost, metricsPort }: { readonly metricsHost: string; readonly metricsPort: number | undefined },
): Promise<number> => listen(server, { host: metricsHost, port: metricsPort ?? 0 }, metricsVariables);

/**
 * Makes a server listen at the configured address.
 *
 * @returns The port.
 * @throws InvalidInputError when it cannot.
 */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  variables = mainVariables,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new InvalidInputError(describeListenError(error, host, port, variables), { cause: error }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function describeListenError(
  { code }: NodeJS.ErrnoException,
  host: string,
  port: number,
  variables: PlaceVariables,
): string {
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is in use; choose another one (${variables.port}).`;
  }
  return `The signer cannot listen on ${host} port ${port} (${code}); see ${variables.host} and ${variables.port}.`;
}
