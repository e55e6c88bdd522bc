import type { SignerConfig } from "./config.ts";

/** The path of the verify page, if this service serves it. */
export const verifyRoute = "/verify";

/** Returns the URLs at which browsers reach the service and its page. */
export function addresses(
  config: Pick<SignerConfig, "host" | "publicUrl" | "verifyUrl">,
  port: number,
): { publicUrl: string; verifyUrl: string } {
  const publicUrl = config.publicUrl ?? `http://${formatHost(config.host)}:${port}`;
  return { publicUrl, verifyUrl: config.verifyUrl ?? `${publicUrl}${verifyRoute}` };
}

export const formatHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
