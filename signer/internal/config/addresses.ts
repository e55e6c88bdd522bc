import { verifyRoute } from "../../pages/verifyRoute.ts";
import type { SettingValues } from "./settings.ts";

/** Returns the URLs at which browsers reach the service and its page. */
export function addresses(
  config: Pick<SettingValues, "host" | "publicUrl" | "verifyUrl">,
  port: number,
): { publicUrl: string; verifyUrl: string } {
  const publicUrl = config.publicUrl ?? `http://${formatHost(config.host)}:${port}`;
  return { publicUrl, verifyUrl: config.verifyUrl ?? `${publicUrl}${verifyRoute}` };
}

export const formatHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
