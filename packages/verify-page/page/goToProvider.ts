import type { ProveRequest } from "../messages.ts";
import { followLink } from "./followLink.ts";
import { noteLeft, rememberQuery } from "./memory.ts";
import { prove } from "./service.ts";

/** Sends the person to a provider, to sign in there. */
export async function goToProvider(request: Omit<ProveRequest, "query">): Promise<void> {
  const target = await prove(request);
  rememberQuery();
  noteLeft(request.provider);
  await followLink(target);
}
