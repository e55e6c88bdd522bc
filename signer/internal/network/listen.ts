import type { AddressInfo, Server } from "node:net";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** Names of the variables by which an operator says where to listen. */
interface PlaceVariables {
  readonly host: string;
  readonly port: string;
}

const mainVariables: PlaceVariables = { host: "IDENTITY_HOST", port: "IDENTITY_PORT" };
const metricsVariables: PlaceVariables = { host: "IDENTITY_METRICS_HOST", port: "IDENTITY_METRICS_PORT" };

/** Has a server listen for metrics where it is configured to; see {@link listen}. */
export const listenForMetrics = (
  server: Server,
  { metricsHost, metricsPort }: { readonly metricsHost: string; readonly metricsPort: number | undefined },
): Promise<number> => listen(server, { host: metricsHost, port: metricsPort ?? 0 }, metricsVariables);

/**
 * Has a server listen where it is configured to.
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
