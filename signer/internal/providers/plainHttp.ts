import { InvalidInputError } from "../../../protocol/errors.ts";
import type { ProviderClients } from "../../providers/client.ts";

/**
 * Refuses providers on plain http. Only development secrets allow them: at the sandbox, anybody can be anybody.
 *
 * @throws InvalidInputError
 */
export function refusePlainHttp(providers: ProviderClients): void {
  const [name] = Object.entries(providers).find(([, client]) => isPlainHttp(client)) ?? [];
  if (name === undefined) return;
  throw new InvalidInputError(
    `IDENTITY_${name.toUpperCase()}_BASE_URL is on plain http, as the sandbox is; that is for a local node and development secrets only: the node (IDENTITY_RPC_URL) is not a local one or cannot be asked, or a secret of your own is set.`,
  );
}

const isPlainHttp = (client: { readonly baseUrl?: string | undefined }): boolean =>
  client.baseUrl?.startsWith("http:") ?? false;
